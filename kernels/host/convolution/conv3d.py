"""conv3d and conv3d_transpose by numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.activation.activation import activate
from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.padded import padded, patches, tap_slices, without_border
from lite.ops.image_attributes import ConvAttributes, FilterAttributes
from lite.ops.window import Window, is_channel_last
from lite.plugin.kernel import Array, kernel, write


def correlate(x: Array, weight: Array, windows: Sequence[Window], groups: int) -> Array:
    """Cross-correlation of ``x[N, C, …]`` with ``weight[O, C/groups, …]``: ``[N, O, …]``, in their dtype."""
    batch, channels, *image = x.shape
    outputs = weight.shape[0]
    outs = [int(window.out(size)) for window, size in zip(windows, image, strict=True)]
    columns = patches(padded(x, windows, outs), windows, outs).reshape(
        batch, groups, channels // groups * math.prod(weight.shape[2:]), math.prod(outs)
    )
    result: Array = np.matmul(weight.reshape(groups, outputs // groups, columns.shape[2]), columns)
    return result.reshape(batch, outputs, *outs)


@dataclass(frozen=True)
class _Transposed(FilterAttributes):
    output_padding: tuple[int, ...]
    data_format: str


@kernel("conv3d", attrs=ConvAttributes)
def conv3d(
    Input: Array, Filter: Array, Bias: Array | None, *, attrs: ConvAttributes, out: Array | None = None
) -> Array:
    """Cross-correlation of ``float[N, C, D, H, W]`` with ``[O, C/groups, kd, kh, kw]``, and an activation."""
    if attrs.is_channel_last:
        first = replace(attrs, data_format="NCDHW")
        return write(out, np.moveaxis(conv3d(np.moveaxis(Input, -1, 1), Filter, Bias, attrs=first), 1, -1))
    windows = attrs.windows(Input.shape[2:], Filter.shape[2:])
    result = correlate(widened(Input), widened(Filter), windows, attrs.groups)
    if Bias is not None:
        result += Bias.reshape(-1, 1, 1, 1)
    result = activate(attrs.activation, result, attrs.activation_params)
    return write(out, result.astype(Input.dtype, copy=False))


@kernel("conv3d_transpose", attrs=_Transposed)
def conv3d_transpose(
    Input: Array, Filter: Array, Bias: Array | None, *, attrs: _Transposed, out: Array | None = None
) -> Array:
    """Paddle conv3d_transpose: the gradient of conv3d with respect to its input.

    Input is ``float[N, C, D, H, W]``, Filter ``[C, O/groups, kd, kh, kw]``.
    """
    if is_channel_last(attrs.data_format):
        first = replace(attrs, data_format="NCDHW")
        result = conv3d_transpose(np.moveaxis(Input, -1, 1), Filter, Bias, attrs=first)
        return write(out, np.moveaxis(result, 1, -1))
    batch, channels, *sizes = Input.shape
    groups = attrs.groups
    windows = attrs.windows(sizes, Filter.shape[2:])
    outs = [
        int(w.transposed(size, more))
        for w, size, more in zip(windows, sizes, attrs.output_padding or (0, 0, 0), strict=True)
    ]
    x = widened(Input).reshape(batch, groups, channels // groups, math.prod(sizes))
    weight = widened(Filter).reshape(groups, channels // groups, -1)
    products = np.matmul(weight.transpose(0, 2, 1), x)
    taps = products.reshape(batch, groups * Filter.shape[1], math.prod(Filter.shape[2:]), *sizes)
    padded_sizes = [
        max((size - 1) * w.stride + w.extent, w.before + size_out)
        for w, size, size_out in zip(windows, sizes, outs, strict=True)
    ]
    total = np.zeros((*taps.shape[:2], *padded_sizes), taps.dtype)
    for tap, index in enumerate(tap_slices(windows, sizes)):
        total[index] += taps[:, :, tap]
    result = without_border(total, windows, outs)
    if Bias is not None:
        result = result + Bias.reshape(-1, 1, 1, 1)
    return write(out, result.astype(Input.dtype, copy=False))
