"""sequence_pool on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import NO_LOD, Lod
from lite.kernels.host.sequence.lod import need_lod, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_pool")
def sequence_pool(
    X: Array, *, pooltype: str, pad_value: float, lods: Mapping[str, Sequence[Lod]]
) -> tuple[tuple[Array, Array | None], dict[str, list[Lod]]]:
    """One row per sequence of the innermost level, which the result's LoD lacks; empty ones give `pad_value`.

    MaxIndex, of MAX only, are the rows where the greatest elements stand, -1 in empty sequences.
    """
    lod = need_lod("sequence_pool", "X", lods["X"][0])
    starts, lengths = starts_and_lengths(lod[-1])
    full = lengths > 0
    out = np.full((len(lengths), *X.shape[1:]), pad_value, X.dtype)
    index = np.full(out.shape, -1, np.int32) if pooltype == "MAX" else None
    first, count = starts[full], lengths[full]
    if len(first):
        x = X[: first[-1] + count[-1]]
        out[full] = _pool(x, first, count, pooltype)
        if index is not None:
            index[full] = _place(x, first, count, out[full])
    return (out, index), {"Out": [lod[:-1]], "MaxIndex": [NO_LOD]}


def _pool(x: Array, first: Array, count: Array, pooltype: str) -> Array:
    if pooltype == "FIRST":
        return x[first]
    if pooltype == "LAST":
        return np.take(x, first + count - 1, axis=0)
    if pooltype == "MAX":
        greatest: Array = np.maximum.reduceat(x, first, axis=0)
        return greatest
    sums: Array = np.add.reduceat(x, first, axis=0)
    if pooltype == "SUM":
        return sums
    divisor = count if pooltype == "AVERAGE" else np.sqrt(count)
    return (sums / divisor.reshape(-1, *[1] * (x.ndim - 1))).astype(x.dtype)


def _place(x: Array, first: Array, count: Array, greatest: Array) -> Array:
    """The first row of each sequence that holds the greatest element."""
    rows = np.arange(first[0], len(x)).reshape(-1, *[1] * (x.ndim - 1))
    hit = x[first[0] :] == np.repeat(greatest, count, axis=0)
    place: Array = np.minimum.reduceat(np.where(hit, rows, len(x)), first - first[0], axis=0)
    return place
