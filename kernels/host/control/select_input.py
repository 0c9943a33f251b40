"""select_input and select_output on the host."""

from collections.abc import Mapping, Sequence

from lite.ops import Meta
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("select_input")
def select_input(X: list[Array | list[Array] | None], Mask: Array) -> Array | list[Array]:
    """The input whose number is in Mask; what is not chosen may be None, its branch did not run."""
    chosen = X[integer(0, Mask)]
    if chosen is None:
        raise ValueError(f"input {integer(0, Mask)} is chosen by Mask, but nothing computed it")
    return list(chosen) if isinstance(chosen, list) else chosen.copy()


@kernel("select_output")
def select_output(
    X: Array | list[Array], Mask: Array, *, metas: Mapping[str, Sequence[Meta]]
) -> list[Array | list[Array] | None]:
    """X as the output whose number is in Mask; the others get no value."""
    chosen = integer(0, Mask)
    count = len(metas["Out"])
    if not 0 <= chosen < count:
        raise IndexError(f"Mask: expected a number below {count}, got {chosen}")
    passed = list(X) if isinstance(X, list) else X.copy()
    return [passed if number == chosen else None for number in range(count)]
