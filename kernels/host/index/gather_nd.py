"""gather_nd on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


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
