"""argsort on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


def descending_keys(x: Array) -> Array:
    """Keys whose ascending order is the descending order of `x`, equal elements in their own order."""
    return -x if x.dtype.kind not in "iub" else ~x


@kernel("argsort")
def argsort(X: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    """X sorted along an axis, and where each element was (int64); equal elements keep their order."""
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    indices = np.argsort(descending_keys(X) if descending else X, axis=axis, kind="stable")
    return np.take_along_axis(X, indices, axis=axis), indices.astype(np.int64, copy=False)
