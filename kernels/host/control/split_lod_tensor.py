"""split_lod_tensor and merge_lod_tensor on the host: sequences parted by a mask, and put together again."""

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import offsets_of, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel

Lods = Mapping[str, Sequence[Lod]]


@kernel("split_lod_tensor")
def split_lod_tensor(X: Array, Mask: Array, *, level: int, lods: Lods) -> tuple[tuple[Array, Array], Lods]:
    """The sequences of a level (rows, without LoD) where Mask holds, and the others.  Outer levels go."""
    mask = Mask.reshape(-1)
    lod = lods["X"][0][level:]
    held, held_lod = _picked(X, lod, np.flatnonzero(mask))
    other, other_lod = _picked(X, lod, np.flatnonzero(~mask))
    return (held, other), {"OutTrue": [held_lod], "OutFalse": [other_lod]}


@kernel("merge_lod_tensor")
def merge_lod_tensor(
    X: Array, Mask: Array, InTrue: Array, InFalse: Array, *, level: int, lods: Lods
) -> tuple[Array, Lods]:
    """The sequences of InTrue and InFalse, each in its order, one or the other as Mask says.

    The levels of X outside `level` come back in front.
    """
    mask = Mask.reshape(-1)
    both = np.concatenate([InTrue, InFalse])
    lod = _joined(lods["InTrue"][0], lods["InFalse"][0], len(InTrue))
    chosen = np.where(mask, np.cumsum(mask) - 1, mask.sum() + np.cumsum(~mask) - 1)
    merged, inner = _picked(both, lod, chosen)
    return merged, {"Out": [(*lods["X"][0][:level], *inner)]}


def _picked(array: Array, lod: Lod, chosen: Array) -> tuple[Array, Lod]:
    """The `chosen` sequences of the first level, one behind the other, with their inner levels."""
    levels: list[tuple[int, ...]] = []
    for offsets in lod:
        starts, lengths = starts_and_lengths(offsets)
        levels.append(offsets_of(lengths[chosen]))
        chosen = rows_of(starts[chosen], lengths[chosen])
    return array[chosen], tuple(levels)


def _joined(first: Lod, second: Lod, rows: int) -> Lod:
    """The LoD of two tensors laid one behind the other; an empty one may lack its levels."""
    if not first or not second:
        return first or second
    return tuple(
        (*before, *(before[-1] + offset for offset in after[1:]))
        for before, after in zip(first, second, strict=True)
    )
