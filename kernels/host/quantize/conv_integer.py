"""conv_integer and qlinear_conv on the host: sums in float64, which holds them exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.convolution.conv3d import correlate
from lite.ops.window import onnx_windows
from lite.plugin.kernel import Array, kernel


@kernel("conv_integer")
def conv_integer(
    X: Array,
    Filter: Array,
    XZeroPoint: Array | None,
    FilterZeroPoint: Array | None,
    *,
    auto_pad: str,
    dilations: Sequence[int],
    group: int,
    pads: Sequence[int],
    strides: Sequence[int],
) -> Array:
    """Cross-correlation, int32, of `X` and `Filter` less their zero points; the border is the zero point."""
    windows = onnx_windows(X.shape[2:], Filter.shape[2:], strides, dilations, pads, auto_pad)
    x, weight = _centred(X, XZeroPoint, 1), _centred(Filter, FilterZeroPoint, 0)
    return correlate(x, weight, windows, group).astype(np.int32)


@kernel("qlinear_conv")
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
    auto_pad: str,
    dilations: Sequence[int],
    group: int,
    pads: Sequence[int],
    strides: Sequence[int],
) -> Array:
    """Cross-correlation of quantized `X` and `Filter`, quantized: halves go to even, beyond is clipped."""
    windows = onnx_windows(X.shape[2:], Filter.shape[2:], strides, dilations, pads, auto_pad)
    x, weight = _centred(X, XZeroPoint, 1), _centred(Filter, FilterZeroPoint, 0)
    sums = correlate(x, weight, windows, group)
    channels = (-1, *[1] * (X.ndim - 2))
    if Bias is not None:
        sums += Bias.reshape(channels)
    sums *= (XScale.astype(np.float64) * FilterScale / OutScale).reshape(channels)
    limits = np.iinfo(OutZeroPoint.dtype)
    rounded = np.rint(sums) + OutZeroPoint.astype(np.float64)
    result: Array = np.clip(rounded, limits.min, limits.max).astype(OutZeroPoint.dtype)
    return result


def _centred(x: Array, zero: Array | None, axis: int) -> Array:
    """float64; a zero point may be one for each place of `axis`."""
    wide: Array = x.astype(np.float64)
    if zero is not None:
        wide -= zero.reshape([-1 if n == axis else 1 for n in range(x.ndim)])
    return wide
