"""Slices and elements by index: gather, gather_nd, take, compress and the lookup tables."""

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("gather")
def gather(X: Array, Index: Array, Axis: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """Paddle gather: slices of X along an axis by ``Index[n]`` or ``[n, 1]``; a scalar drops the axis."""
    rows = Index.reshape(-1) if Index.ndim == 2 else Index
    return X.take(rows, axis=integer(axis, Axis), out=out)


@kernel("gather_nd")
def gather_nd(X: Array, Index: Array, *, batch_dims: int = 0, out: Array | None = None) -> Array:
    """Paddle gather_nd: the slices of X at the coordinates on the last axis of Index.

    The first `batch_dims` axes of X and Index correspond, as in ONNX GatherND.
    """
    if not Index.shape[-1]:
        dims = X.shape[batch_dims:]
        lead = X.reshape(X.shape[:batch_dims] + (1,) * (Index.ndim - 1 - batch_dims) + dims)
        whole = np.broadcast_to(lead, Index.shape[:-1] + dims)
        return whole.copy() if out is None else write(out, whole)
    batch = [
        np.arange(size).reshape((1,) * axis + (size,) + (1,) * (Index.ndim - 2 - axis))
        for axis, size in enumerate(X.shape[:batch_dims])
    ]
    return write(out, X[(*batch, *np.moveaxis(Index, -1, 0))])


@kernel("take")
def take(X: Array, Index: Array, *, axis: int, out: Array | None = None) -> Array:
    """ONNX Gather: slices of X along an axis, in the shape of Index; negative indices from the end."""
    return X.take(Index, axis=axis, out=out)


@kernel("compress")
def compress(X: Array, Condition: Array, *, axis: int) -> Array:
    """ONNX Compress: the slices of X along an axis where ``Condition[n]`` is true.

    Conditions beyond the end of the axis mean nothing, as in ONNX Runtime.
    """
    return X.compress(Condition[: X.shape[axis]], axis=axis)


@kernel("lookup_table_v2")
def lookup_table_v2(W: Array, Ids: Array, *, padding_idx: int, out: Array | None = None) -> Array:
    """Paddle lookup_table_v2: the rows Ids of W; zeros for the id `padding_idx`, unless it is -1."""
    if Ids.size and (Ids.min() < 0 or Ids.max() >= len(W)):
        raise IndexError(f"Ids: expected rows of W from 0 to {len(W) - 1}, got {Ids.min()} to {Ids.max()}")
    result: Array = W.take(Ids, axis=0, out=out, mode="clip")
    if padding_idx != -1:
        result[Ids == padding_idx] = 0
    return result


@kernel("lookup_table_dequant")
def lookup_table_dequant(W: Array, Ids: Array, *, padding_idx: int, out: Array | None = None) -> Array:
    """Paddle lookup_table_dequant: rows of a table of 8-bit numbers.

    A row of W has the least and the greatest value, then four numbers in the bytes of each float32.  They
    divide the range between these values into 256 steps.
    """
    rows = lookup_table_v2(W, Ids[..., 0], padding_idx=padding_idx)
    least, greatest = rows[..., :1], rows[..., 1:2]
    steps = np.ascontiguousarray(rows[..., 2:]).view(np.uint8)
    return np.add((greatest - least) / np.float32(256) * steps, least, out=out)
