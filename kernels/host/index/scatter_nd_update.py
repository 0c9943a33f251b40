"""scatter_nd_update on the host."""

import numpy as np

from lite.kernels.host.index.scattered import UPDATES
from lite.plugin.kernel import Array, kernel, write


@kernel("scatter_nd_update")
def scatter_nd_update(
    X: Array, Index: Array, Updates: Array, *, reduction: str, out: Array | None = None
) -> Array:
    """X with each of Updates where the vector on the last axis of Index points, joined by the reduction."""
    result = np.array(X, order="C") if out is None else write(out, X)
    if Index.shape[-1]:
        UPDATES[reduction](result, tuple(np.moveaxis(Index, -1, 0)), Updates)
        return result
    # Vectors without elements all point at the whole tensor, which here is one row.
    rows = result.reshape(1, *X.shape)
    updates = Updates.reshape(-1, *X.shape)
    UPDATES[reduction](rows, (np.zeros(len(updates), np.int64),), updates)
    return result
