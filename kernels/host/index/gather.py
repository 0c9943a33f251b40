"""Slices and elements by index: gather, gather_nd, take and compress."""

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("gather")
def gather(X: Array, Index: Array, Axis: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """Paddle gather: slices of X along an axis by ``Index[n]``, ``[n, 1]`` or ``[]``, without the axis."""
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
    """ONNX Compress: the slices of X along an axis where ``Condition[n]`` is true."""
    return X.compress(Condition, axis=axis)
