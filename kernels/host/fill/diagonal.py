"""eye_like and tril_triu by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("eye_like")
def eye_like(X: Array, *, diagonal: int, dtype: int, out: Array | None = None) -> Array:
    """ONNX EyeLike: ones on a diagonal (positive: above the main one), zeros elsewhere, in the shape of X."""
    target = X.dtype if dtype < 0 else DType.from_code(dtype).numpy
    return write(out, np.eye(X.shape[0], X.shape[1], diagonal).astype(target))


@kernel("tril_triu")
def tril_triu(
    X: Array, DiagonalTensor: Array | None = None, *, diagonal: int, lower: bool, out: Array | None = None
) -> Array:
    """Paddle tril_triu: matrices ``X[…, n, m]`` with zeros above (without `lower`: below) a diagonal."""
    return write(out, (np.tril if lower else np.triu)(X, integer(diagonal, DiagonalTensor)))
