"""sequence_pad, sequence_unpad and sequence_mask."""

from __future__ import annotations

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import NO_LOD, DType
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import (
    Lods,
    check_rows,
    in_rows,
    need_lod,
    offsets_of,
    rows_of,
    starts_and_lengths,
)


@kernel("sequence_pad")
def sequence_pad(
    X: Array, PadValue: Array, *, padded_length: int, lods: Lods
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle sequence_pad: ``[T, …]`` as ``[sequences, padded length, …]``, and ``Length int64[sequences]``.

    PadValue is one element or one row.  A `padded_length` of -1 is the length of the longest sequence.
    """
    lod = need_lod("sequence_pad", "X", lods["X"][0], len(X))
    starts, lengths = starts_and_lengths(in_rows(lod, 0))
    longest = int(lengths.max(initial=0))
    most = longest if padded_length < 0 else padded_length
    if longest > most:
        raise ExecutionError(f"sequence_pad: padded_length: expected at least {longest}, got {padded_length}")
    check_rows("sequence_pad", most * max(len(lengths), 1))
    out = np.empty((len(lengths), most, *X.shape[1:]), X.dtype)
    out[...] = PadValue.reshape(()) if PadValue.size == 1 else PadValue.reshape(X.shape[1:])
    out[np.arange(most) < lengths[:, None]] = X[rows_of(starts, lengths)]
    return (out, lengths.astype(np.int64)), {"Out": [NO_LOD], "Length": [NO_LOD]}


@kernel("sequence_unpad")
def sequence_unpad(X: Array, Length: Array, *, lods: Lods) -> tuple[Array, Lods]:
    """Paddle sequence_unpad: the first Length[i] steps of each X[i], one after another."""
    rows = X[np.arange(X.shape[1]) < Length[:, None]]
    return (rows if X.ndim > 2 else rows[:, None]), {"Out": [(offsets_of(Length),)]}


@kernel("sequence_mask")
def sequence_mask(X: Array, MaxLenTensor: Array | None, *, maxlen: int, out_dtype: int) -> Array:
    """Paddle sequence_mask: for each length of X a row ``[maxlen]`` with 1 at indices below it, else 0."""
    most = maxlen if MaxLenTensor is None else int(MaxLenTensor.reshape(-1)[0])
    if most < 0:
        most = int(X.max(initial=0))
    dtype = DType.INT64 if out_dtype < 0 else DType.from_code(out_dtype)
    return (np.arange(most) < X[..., None]).astype(dtype.numpy)
