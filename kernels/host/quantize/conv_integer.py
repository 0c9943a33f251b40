"""conv_integer and qlinear_conv by numpy, in float64, which represents their sums exactly."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.convolution.conv3d import correlate
from lite.ops.window import onnx_windows
from lite.plugin.kernel import Array, kernel


@dataclass(frozen=True)
class _Attributes:
    auto_pad: str
    dilations: tuple[int, ...]
    group: int
    pads: tuple[int, ...]
    strides: tuple[int, ...]

    def correlate(self, x: Array, weight: Array) -> Array:
        """The cross-correlation of ``x[N, C, …]`` with ``weight[O, C/group, …]``."""
        sizes, kernel_sizes = x.shape[2:], weight.shape[2:]
        windows = onnx_windows(sizes, kernel_sizes, self.strides, self.dilations, self.pads, self.auto_pad)
        return correlate(x, weight, windows, self.group)


@kernel("conv_integer", attrs=_Attributes)
def conv_integer(
    X: Array,
    Filter: Array,
    XZeroPoint: Array | None,
    FilterZeroPoint: Array | None,
    *,
    attrs: _Attributes,
) -> Array:
    """ONNX ConvInteger: the cross-correlation of X and Filter minus their zero points, int32.

    The border of X has its zero point.
    """
    x, weight = _centred(X, XZeroPoint, 1), _centred(Filter, FilterZeroPoint, 0)
    return attrs.correlate(x, weight).astype(np.int32)


@kernel("qlinear_conv", attrs=_Attributes)
def qlinear_conv(
    X: Array,
    XScale: Array,
    XZeroPoint: Array,
    Filter: Array,
    FilterScale: Array,
    FilterZeroPoint: Array,
    OutScale: Array,
    OutZeroPoint: Array,
    Bias: Array | None,
    *,
    attrs: _Attributes,
) -> Array:
    """ONNX QLinearConv: the cross-correlation of quantised X and Filter, quantised.

    Halves are rounded to even, and results saturate.
    """
    x, weight = _centred(X, XZeroPoint, 1), _centred(Filter, FilterZeroPoint, 0)
    accumulator = attrs.correlate(x, weight)
    channels = (-1, *[1] * (X.ndim - 2))
    if Bias is not None:
        accumulator += Bias.reshape(channels)
    accumulator *= (XScale.astype(np.float64) * FilterScale / OutScale).reshape(channels)
    limits = np.iinfo(OutZeroPoint.dtype)
    rounded = np.rint(accumulator) + OutZeroPoint.astype(np.float64)
    result: Array = np.clip(rounded, limits.min, limits.max).astype(OutZeroPoint.dtype)
    return result


def _centred(x: Array, zero: Array | None, axis: int) -> Array:
    """`x` minus its zero point, float64; there may be one for each index of `axis`."""
    wide: Array = x.astype(np.float64)
    if zero is not None:
        wide -= zero.reshape([-1 if n == axis else 1 for n in range(x.ndim)])
    return wide
