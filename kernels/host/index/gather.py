"""Slices and elements by index: gather, gather_nd, take and compress."""

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("gather")
def gather(X: Array, Index: Array, Axis: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """The slices of X along an axis that Index names; a 0-D Index drops the axis."""
    rows = Index.reshape(-1) if Index.ndim == 2 else Index
    return X.take(rows, axis=integer(axis, Axis), out=out)


@kernel("gather_nd")
def gather_nd(X: Array, Index: Array, *, batch_dims: int = 0, out: Array | None = None) -> Array:
    """What X holds where the vectors on the last axis of Index point; a short vector names a whole slice.

    The first `batch_dims` axes of X and Index go together.
    """
    if not Index.shape[-1]:
        dims = X.shape[batch_dims:]
        lead = X.reshape(X.shape[:batch_dims] + (1,) * (Index.ndim - 1 - batch_dims) + dims)
        whole = np.broadcast_to(lead, Index.shape[:-1] + dims)
        return whole.copy() if out is None else write(out, whole)
    places = [
        np.arange(size).reshape((1,) * axis + (size,) + (1,) * (Index.ndim - 2 - axis))
        for axis, size in enumerate(X.shape[:batch_dims])
    ]
    return write(out, X[(*places, *np.moveaxis(Index, -1, 0))])


@kernel("take")
def take(X: Array, Index: Array, *, axis: int, out: Array | None = None) -> Array:
    """The slices of X along an axis that Index names, in the shape of Index; negative from the back."""
    return X.take(Index, axis=axis, out=out)


@kernel("compress")
def compress(X: Array, Condition: Array, *, axis: int) -> Array:
    """The slices of X along an axis where Condition holds."""
    return X.compress(Condition, axis=axis)
