"""sequence_pool, sequence_softmax, sequence_conv and sequence_arithmetic."""

from __future__ import annotations

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, need_lod, rows_of, starts_and_lengths


@kernel("sequence_pool")
def sequence_pool(
    X: Array, *, pooltype: str, pad_value: float, lods: Lods
) -> tuple[tuple[Array, Array | None], Lods]:
    """Paddle sequence_pool: one row for each sequence of the innermost level; `pad_value` for an empty one.

    With MAX, MaxIndex ``int32`` has the rows of the greatest elements, -1 for empty sequences.
    """
    lod = need_lod("sequence_pool", "X", lods["X"][0], len(X))
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


@kernel("sequence_softmax")
def sequence_softmax(X: Array, *, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_softmax: softmax over each sequence of the innermost level of ``X[T, 1]``."""
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_softmax", "X", lod, len(X))[-1])
    starts, lengths = starts[lengths > 0], lengths[lengths > 0]
    out = np.zeros_like(X)
    if len(starts):
        rows = slice(int(starts[0]), int(starts[-1] + lengths[-1]))
        x, at = X[rows], starts - starts[0]
        x = np.exp(x - np.repeat(np.maximum.reduceat(x, at, axis=0), lengths, axis=0))
        x /= np.repeat(np.add.reduceat(x, at, axis=0), lengths, axis=0)
        out[rows] = x
    return out, {"Out": [lod]}


@kernel("sequence_conv")
def sequence_conv(
    X: Array,
    Filter: Array,
    PaddingData: Array | None,
    *,
    contextLength: int,
    contextStart: int,
    paddingTrainable: bool,
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle sequence_conv: multiplies `contextLength` rows around each row of ``X[T, D]`` with Filter.

    The context begins `contextStart` rows after the row; Filter is ``[contextLength·D, N]``.  Outside the
    sequence there are zeros or, with `paddingTrainable`, rows of PaddingData: first those before the
    sequence, then those after it.  Rows in no sequence give zeros.
    """
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_conv", "X", lod, len(X))[-1])
    rows = rows_of(starts, lengths)
    first, size = np.repeat(starts, lengths), np.repeat(lengths, lengths)
    context = np.zeros((len(X), contextLength, X.shape[1]), X.dtype)
    before = max(0, -contextStart)
    if paddingTrainable and PaddingData is None:
        raise ExecutionError("sequence_conv: paddingTrainable is set, but slot PaddingData is missing")
    for tap in range(contextLength):
        place = rows - first + contextStart + tap
        inside = (place >= 0) & (place < size)
        context[rows[inside], tap] = X[(first + place)[inside]]
        if paddingTrainable and PaddingData is not None:
            padding = np.where(place < 0, before + place, before + place - size)
            context[rows[~inside], tap] = PaddingData[padding[~inside]]
    return context.reshape(len(X), -1) @ Filter, {"Out": [lod]}


_FUNCTIONS = {1: np.add, 2: np.subtract, 3: np.multiply}


@kernel("sequence_arithmetic")
def sequence_arithmetic(X: Array, Y: Array, *, op_type: int, lods: Lods) -> tuple[Array, Lods]:
    """Paddle-Lite sequence_arithmetic: adds (`op_type` 1), subtracts (2) or multiplies (3) Y's sequences.

    Rows of X beyond the end of Y's sequence are unchanged; further rows of Y are ignored.
    """
    (lod,) = lods["X"]
    starts, lengths = starts_and_lengths(need_lod("sequence_arithmetic", "X", lod, len(X))[0])
    others, other_lengths = starts_and_lengths(need_lod("sequence_arithmetic", "Y", lods["Y"][0], len(Y))[0])
    if len(starts) != len(others):
        raise ExecutionError(
            f"sequence_arithmetic: Y: expected {len(starts)} sequences, as many as in X, got {len(others)}"
        )
    both = np.minimum(lengths, other_lengths)
    rows = rows_of(starts, both)
    out = X.copy()
    out[rows] = _FUNCTIONS[op_type](X[rows], Y[rows_of(others, both)])
    return out, {"Out": [lod]}
