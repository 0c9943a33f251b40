"""select_input, select_output, split_lod_tensor and merge_lod_tensor."""

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.ops import Meta
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, need_lod, offsets_of, rows_of, starts_and_lengths


@kernel("select_input")
def select_input(X: list[Array | Sequence[Array] | None], Mask: Array) -> Array | Sequence[Array]:
    """Paddle select_input: the input with the number Mask; inputs of branches that did not run are None."""
    chosen = X[integer(0, Mask)]
    if chosen is None:
        raise ValueError(
            f"X: expected a value at {integer(0, Mask)}, which Mask selects, but no op computed it"
        )
    return chosen.copy() if isinstance(chosen, np.ndarray) else chosen


@kernel("select_output")
def select_output(
    X: Array | Sequence[Array], Mask: Array, *, metas: Mapping[str, Sequence[Meta]]
) -> list[Array | Sequence[Array] | None]:
    """Paddle select_output: X as the output with the number Mask; the others have no value."""
    chosen = integer(0, Mask)
    count = len(metas["Out"])
    if not 0 <= chosen < count:
        raise IndexError(f"Mask: expected a number below {count}, got {chosen}")
    passed = X.copy() if isinstance(X, np.ndarray) else X
    return [passed if number == chosen else None for number in range(count)]


@kernel("split_lod_tensor")
def split_lod_tensor(X: Array, Mask: Array, *, level: int, lods: Lods) -> tuple[tuple[Array, Array], Lods]:
    """Paddle split_lod_tensor: the sequences of `level` (or rows) where Mask is true, and the others.

    The results have the levels from `level` on.
    """
    mask = Mask.reshape(-1)
    lod = lods["X"][0][level:]
    held, held_lod = _picked(X, lod, np.flatnonzero(mask))
    other, other_lod = _picked(X, lod, np.flatnonzero(~mask))
    return (held, other), {"OutTrue": [held_lod], "OutFalse": [other_lod]}


@kernel("merge_lod_tensor")
def merge_lod_tensor(
    X: Array, Mask: Array, InTrue: Array, InFalse: Array, *, level: int, lods: Lods
) -> tuple[Array, Lods]:
    """Paddle merge_lod_tensor: the next sequence of InTrue where Mask is true, else the next of InFalse.

    The levels of InTrue and InFalse follow the outer levels of X, up to `level`.
    """
    mask = Mask.reshape(-1)
    both = np.concatenate([InTrue, InFalse])
    lod = _joined(lods["InTrue"][0], lods["InFalse"][0], len(InTrue))
    chosen = np.where(mask, np.cumsum(mask) - 1, mask.sum() + np.cumsum(~mask) - 1)
    merged, inner = _picked(both, lod, chosen)
    return merged, {"Out": [(*lods["X"][0][:level], *inner)]}


def _picked(array: Array, lod: Lod, chosen: Array) -> tuple[Array, Lod]:
    """The `chosen` sequences of the first level, one after another, with their inner levels."""
    levels: list[tuple[int, ...]] = []
    if lod:
        need_lod("split_lod_tensor, merge_lod_tensor", "X", lod, len(array))
    for offsets in lod:
        starts, lengths = starts_and_lengths(offsets)
        levels.append(offsets_of(lengths[chosen]))
        chosen = rows_of(starts[chosen], lengths[chosen])
    return array[chosen], tuple(levels)


def _joined(first: Lod, second: Lod, rows: int) -> Lod:
    """The LoD of the concatenation of two tensors; an empty tensor may lack its levels."""
    if not first or not second:
        return first or second
    return tuple(
        (*before, *(before[-1] + offset for offset in after[1:]))
        for before, after in zip(first, second, strict=True)
    )
