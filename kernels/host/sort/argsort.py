"""argsort on the host."""

import numpy as np

from lite.ops.defs.sort import descending_keys
from lite.plugin.kernel import Array, kernel


@kernel("argsort")
def argsort(X: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    """X sorted along an axis, and where each element was (int64); equal elements keep their order."""
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    indices = np.argsort(descending_keys(X) if descending else X, axis=axis, kind="stable")
    return np.take_along_axis(X, indices, axis=axis), indices.astype(np.int64, copy=False)
