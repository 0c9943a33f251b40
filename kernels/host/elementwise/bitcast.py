"""bitcast on the host: a view of X."""

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("bitcast")
def bitcast(X: Array, *, dtype: int) -> Array:
    """The bytes of X as elements of another type of the same width."""
    return np.ascontiguousarray(X).reshape(X.shape).view(DType.from_code(dtype).numpy)
