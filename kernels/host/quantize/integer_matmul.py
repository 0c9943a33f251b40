"""integer_matmul by numpy, in float64, which represents its sums exactly."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("integer_matmul")
def integer_matmul(
    X: Array, Y: Array, XZeroPoint: Array | None, YZeroPoint: Array | None, *, out: Array | None = None
) -> Array:
    """ONNX MatMulInteger: the product of X and Y minus their zero points, as numpy.matmul, int32."""
    x, y = X.astype(np.float64), Y.astype(np.float64)
    if XZeroPoint is not None:
        is_column = XZeroPoint.ndim == 1 and XZeroPoint.size > 1
        x -= XZeroPoint[:, np.newaxis] if is_column else XZeroPoint
    if YZeroPoint is not None:
        y -= YZeroPoint
    # Sums of 2^15 products or more may not fit; they wrap, as sums in int32 do.
    return write(out, (x @ y).astype(np.int64).astype(np.int32))
