"""shrink on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("shrink")
def shrink(X: Array, *, lambd: float = 0.5, bias: float = 0.0, out: Array | None = None) -> Array:
    """X + bias below -lambd, X - bias above lambd, 0 between (ONNX Shrink)."""
    amount = X.dtype.type(bias)
    result = np.where(np.less(X, -lambd), X + amount, np.where(np.greater(X, lambd), X - amount, 0))
    return write(out, result.astype(X.dtype, copy=False))
