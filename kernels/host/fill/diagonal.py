"""eye_like and tril_triu by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("eye_like")
def eye_like(X: Array, *, diagonal: int, dtype: int, out: Array | None = None) -> Array:
    """ONNX EyeLike: ones on a diagonal (positive: above the main one), zeros elsewhere, in the shape of X."""
    target = X.dtype if dtype < 0 else DType.from_code(dtype).numpy
    rows, columns = X.shape
    result = np.empty((rows, columns), target) if out is None else out
    result[...] = 0
    above, below = max(diagonal, 0), max(-diagonal, 0)
    count = min(rows - below, columns - above)
    if count > 0:
        # Neighbours on a diagonal are a row and an element apart.
        result.reshape(-1)[below * columns + above :: columns + 1][:count] = 1
    return result


@kernel("tril_triu")
def tril_triu(
    X: Array, DiagonalTensor: Array | None = None, *, diagonal: int, lower: bool, out: Array | None = None
) -> Array:
    """Paddle tril_triu: matrices ``X[…, n, m]`` with zeros above (without `lower`: below) a diagonal."""
    return write(out, (np.tril if lower else np.triu)(X, integer(diagonal, DiagonalTensor)))
