"""select_input on the host."""

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("select_input")
def select_input(X: list[Array | list[Array] | None], Mask: Array) -> Array | list[Array]:
    """The input whose number is in Mask; what is not chosen may be None, its branch did not run."""
    chosen = X[integer(0, Mask)]
    if chosen is None:
        raise ValueError(f"input {integer(0, Mask)} is chosen by Mask, but nothing computed it")
    return list(chosen) if isinstance(chosen, list) else chosen.copy()
