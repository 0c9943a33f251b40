"""cos_sim on the host."""

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("cos_sim")
def cos_sim(X: Array, Y: Array) -> tuple[Array, Array, Array]:
    """The cosine of the angle between the rows of X and of Y (or its one row), and the rows' lengths."""
    x, y = widened(X.reshape(len(X), -1)), widened(Y.reshape(len(Y), -1))
    x_norm = np.sqrt(np.square(x).sum(1, keepdims=True))
    y_norm = np.sqrt(np.square(y).sum(1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = (x * y).sum(1, keepdims=True) / x_norm / y_norm
    return cosine.astype(X.dtype), x_norm.astype(X.dtype), y_norm.astype(Y.dtype)
