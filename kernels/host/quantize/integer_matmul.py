"""integer_matmul by numpy, in float64, which represents its sums exactly."""

import numpy as np

from lite.kernels.host.quantize.affine_quantize import as_bytes
from lite.plugin.kernel import Array, kernel, write


@kernel("integer_matmul")
def integer_matmul(
    X: Array,
    Y: Array,
    XZeroPoint: Array | None,
    YZeroPoint: Array | None,
    Scale: Array | None,
    Bias: Array | None,
    *,
    out_scale: float,
    out_zero_point: int,
    out: Array | None = None,
) -> Array:
    """ONNX MatMulInteger: X · Y minus their zero points, as numpy.matmul, int32.

    With Scale, these sums · Scale + Bias in float32, and bytes with an `out_scale`.
    """
    x, y = X.astype(np.float64), Y.astype(np.float64)
    if XZeroPoint is not None:
        is_column = XZeroPoint.ndim == 1 and XZeroPoint.size > 1
        x -= XZeroPoint[:, np.newaxis] if is_column else XZeroPoint
    if YZeroPoint is not None:
        y -= YZeroPoint
    # Sums of 2^15 products or more may not fit; they wrap, as sums in int32 do.
    sums = (x @ y).astype(np.int64).astype(np.int32)
    if Scale is None:
        return write(out, sums)
    real = np.asarray(sums.astype(np.float32) * Scale.reshape(-1))
    if Bias is not None:
        real = real + Bias.reshape(-1)
    real = real.reshape(sums.shape)
    return write(out, as_bytes(real, out_scale, out_zero_point) if out_scale else real)
