"""eye_like and tril_triu by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("eye_like")
def eye_like(X: Array, *, diagonal: int, dtype: int, out: Array | None = None) -> Array:
    """Ones on a diagonal (positive: above the main one) and zeros elsewhere, in the shape of X."""
    target = X.dtype if dtype < 0 else DType.from_code(dtype).numpy
    return write(out, np.eye(X.shape[0], X.shape[1], diagonal).astype(target))


@kernel("tril_triu")
def tril_triu(
    X: Array, DiagonalTensor: Array | None = None, *, diagonal: int, lower: bool, out: Array | None = None
) -> Array:
    """The matrices of the last two axes with zeros above (or, not `lower`, below) a diagonal."""
    place = integer(diagonal, DiagonalTensor)
    return write(out, np.tril(X, place) if lower else np.triu(X, place))
