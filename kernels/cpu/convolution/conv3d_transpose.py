"""conv3d_transpose with a constant filter, of one group and without dilation."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import limits
from lite.kernels.cpu.convolution.volume_filters import VolumeFilters
from lite.kernels.cpu.convolution.volume_pixels import parted, parted_input, pixels
from lite.kernels.cpu.lengths.volumes import Geometry
from lite.ops.image_attributes import FilterAttributes
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_MOST_OUTPUTS = 4
"""The most outputs for each place of a tap that reads an element; with more, most products are with zeros."""


class _Phase(NamedTuple):
    """The outputs of an axis, a stride apart from the one numbered `first` on: a convolution of stride 1.

    Output k of them is the sum over taps j of element ``base + k - j`` of the input times element
    ``tap + j · stride`` of the filter.
    """

    first: int
    outputs: int
    base: int
    tap: int
    taps: int

    @classmethod
    def of(cls, window: Window, first: int, size: int) -> _Phase:
        base, tap = divmod(first + window.before, window.stride)
        outputs, taps = (
            -(-(each - start) // window.stride) for each, start in ((size, first), (window.kernel, tap))
        )
        return cls(first, outputs, base, tap, taps)


@kernel(
    "conv3d_transpose",
    "cpu",
    dtype=DType.FLOAT32,
    slots=("Input",),
    packs=("Filter", "Bias"),
    fallback="host",
)
def conv3d_transpose(ctx: PrepareContext) -> KernelFunction | None:
    """Transposed convolution of ``float32[N, C, D, H, W]`` with a filter ``[C, O, kd, kh, kw]``.

    The outputs whose indices have the same remainders by the strides are a convolution of stride 1.
    """
    weight, bias = ctx.constant("Filter"), ctx.constant("Bias")
    attrs = ctx.attrs.read(FilterAttributes)
    batch, channels, *sizes = ctx.inputs["Input"][0].sizes
    _, out_channels, *outs = shape = ctx.outputs["Output"][0].sizes
    if ctx.attrs.text("data_format") == "NDHWC":
        return None
    if weight is None or attrs.groups != 1 or (bias is None and ctx.inputs.get("Bias")):
        return None
    windows = attrs.windows(sizes, weight.shape[2:])
    is_covered = all(w.dilation == 1 and w.kernel >= w.stride for w in windows)
    if not is_covered or not math.prod(shape) * math.prod(sizes) * channels:
        return None
    if math.prod(outs) > _MOST_OUTPUTS * math.prod(
        size * w.stride for w, size in zip(windows, sizes, strict=True)
    ):
        return None
    phases = [
        [_Phase.of(w, first, size) for first in range(min(w.stride, size))]
        for w, size in zip(windows, outs, strict=True)
    ]
    before = [max(0, *(each.taps - 1 - each.base for each in axis)) for axis in phases]
    padded = [
        front + max(each.base + each.outputs for each in axis)
        for front, axis in zip(before, phases, strict=True)
    ]
    ones = (1, 1, 1)
    strides = [window.stride for window in windows]
    steps = (math.prod(outs), strides[0] * outs[1] * outs[2], strides[1] * outs[2], strides[2])
    jobs = []
    for combined in itertools.product(*phases):
        outputs, kernel = [each.outputs for each in combined], [each.taps for each in combined]
        numbers = [channels, out_channels, *sizes, *padded, *outputs, *kernel, *ones, *ones, *before]
        g = Geometry.of(np.array(numbers))
        i, j, k = (slice(e.tap, None, stride) for e, stride in zip(combined, strides, strict=True))
        part = weight[:, :, i, j, k][:, :, ::-1, ::-1, ::-1].swapaxes(0, 1)
        filters = VolumeFilters(part, bias, limits())
        start = _index(padded, [f + e.base + 1 - e.taps for f, e in zip(before, combined, strict=True)])
        first = [each.first for each in combined]
        places = (_index(outs, first), *steps)
        jobs.append(pixels(ctx, filters, f"pixels {first}", g, start, places, batch))
    copy, scratch = parted(g, batch), parted_input(ctx, g, batch)

    def run(Input: Array, *, out: Array | None = None) -> Array:
        y = np.empty(shape, np.float32) if out is None else out
        copy(Input, scratch.array)
        for job in jobs:
            job(scratch.array, y)
        return y

    return only_launches(run)


def _index(sizes: list[int], indices: list[int]) -> int:
    """The flat index of an element of an array."""
    (_, height, width), (z, y, x) = sizes, indices
    return (z * height + y) * width + x
