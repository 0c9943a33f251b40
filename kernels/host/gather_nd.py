"""gather_nd on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("gather_nd")
def gather_nd(X: Array, Index: Array, *, out: Array | None = None) -> Array:
    """What X holds where the vectors on the last axis of Index point; a short vector names a whole slice."""
    if Index.shape[-1]:
        return write(out, X[tuple(np.moveaxis(Index, -1, 0))])
    whole = np.broadcast_to(X, Index.shape[:-1] + X.shape)
    return whole.copy() if out is None else write(out, whole)
