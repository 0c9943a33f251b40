"""eye_like on the host."""

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel, write


@kernel("eye_like")
def eye_like(X: Array, *, diagonal: int, dtype: int, out: Array | None = None) -> Array:
    """Ones on a diagonal (positive: above the main one) and zeros elsewhere, in the shape of X."""
    target = X.dtype if dtype < 0 else DType.from_code(dtype).numpy
    return write(out, np.eye(X.shape[0], X.shape[1], diagonal).astype(target))
