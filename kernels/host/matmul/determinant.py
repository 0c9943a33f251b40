"""determinant on the host."""

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("determinant")
def determinant(Input: Array) -> Array:
    """The determinant of each square matrix on the last two axes."""
    return np.asarray(np.linalg.det(widened(Input))).astype(Input.dtype)
