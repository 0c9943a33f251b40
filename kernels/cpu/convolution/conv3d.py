"""conv3d with a constant filter."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.convolution.volume_filters import VolumeFilters
from lite.kernels.cpu.convolution.volume_pixels import by_pixels, by_points
from lite.kernels.cpu.lengths.volumes import Geometry
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.native.launching import launching, launching_in_turn
from lite.ops.image_attributes import ActivatedAttributes
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_pad_volumes = Function("volume.pad_volumes")
_convolve_volumes = Function("volume.convolve_volumes")
_convolve_channels = Function("volume.convolve_channels")
_channels_first = Function("volume.channels_first")
_convolve_rows = Function("volume_rows.convolve_rows")

_FEW_CHANNELS = 8
"""With fewer channels, putting them last takes longer than the products."""


@kernel("conv3d", "cpu", dtype=DType.FLOAT32, slots=("Input",), packs=("Filter", "Bias"), fallback="host")
def conv3d(ctx: PrepareContext) -> KernelFunction | None:
    """Cross-correlation of ``float32[N, C, D, H, W]`` with a constant filter, of one group or depthwise."""
    attrs, filters = ctx.attrs.read(ActivatedAttributes), VolumeFilters.of(ctx)
    batch, channels, *sizes = ctx.inputs["Input"][0].sizes
    _, out_channels, *outs = shape = ctx.outputs["Output"][0].sizes
    if filters is None or ctx.attrs.text("data_format") == "NDHWC":
        return None
    weight = filters.weight
    windows = attrs.windows(sizes, weight.shape[2:])
    is_depthwise = attrs.groups == channels == out_channels
    if not math.prod(shape) * math.prod(sizes) * channels or not (is_depthwise or attrs.groups == 1):
        return None
    padded = [(out - 1) * w.stride + w.extent for out, w in zip(outs, windows, strict=True)]
    is_inside = all(p <= size and not w.before for p, size, w in zip(padded, sizes, windows, strict=True))
    geometry = np.array(
        [
            channels, out_channels, *sizes, *padded, *outs, *weight.shape[2:], *(w.stride for w in windows),
            *(w.dilation for w in windows), *(w.before for w in windows),
        ],
        np.int64,
    )  # fmt: skip
    [result], g = ctx.outputs["Output"], Geometry.of(geometry)
    if is_depthwise:
        return launching(_depthwise(ctx, filters, geometry, batch), result)
    if g.taps == 1 and is_inside and (run := by_points(ctx, filters, g, batch)) is not None:
        return run
    if g.taps > 1 and (channels < _FEW_CHANNELS or out_channels <= _FEW_CHANNELS):
        return by_pixels(ctx, filters, g, batch)
    if g.taps == 1 or channels < _FEW_CHANNELS or g.right_dilation > 1:
        return launching(_rows(ctx, filters, geometry, batch), result)
    volume = ctx.scratch((batch * g.padded,))
    lines = ctx.scratch((math.prod(shape),))
    pad = _pad_volumes.bind(
        FREE, FREE, geometry, count=batch * g.padded_depth * g.padded_height,
        cost=PER_ELEMENT * batch * g.padded,
    )  # fmt: skip
    convolve = _dense(ctx, filters, geometry, batch * g.out_depth * g.out_height)
    unpack = _channels_first.bind(
        FREE, FREE, out_channels, g.out_depth, g.out_height * g.out_width, count=batch * g.out_depth,
        cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip
    return launching_in_turn([pad, convolve, unpack], [volume, lines], result)


def _dense(ctx: PrepareContext, filters: VolumeFilters, geometry: Array, lines: int) -> Job:
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    weight, outputs = filters.weight, len(filters.weight)
    columns = columns_for(outputs)
    lanes = columns * LANES
    padded = -(-outputs // lanes) * lanes

    def pack() -> Array:
        rows = np.zeros((padded, math.prod(weight.shape[1:])), np.float32)
        rows[:outputs] = weight.transpose(0, 2, 3, 4, 1).reshape(outputs, -1)
        return np.ascontiguousarray(rows.reshape(-1, lanes, rows.shape[1]).swapaxes(1, 2)).reshape(-1)

    return _convolve_volumes.bind(
        FREE, ctx.shared(f"dense {columns}", pack), filters.biases(ctx, padded), filters.limits,
        geometry, FREE, columns, count=lines, cost=_cost(weight, geometry, lines),
    )  # fmt: skip


def _depthwise(ctx: PrepareContext, filters: VolumeFilters, geometry: Array, batch: int) -> Job:

    g, weight, channels = Geometry.of(geometry), filters.weight, len(filters.weight)
    plane = (g.height, g.width)
    if (
        g.kernel_down == g.kernel_right == 1
        and plane == (g.out_height, g.out_width)
        and not (g.above or g.left)
    ):
        # The filter moves along the first axis alone: a plane is one long row.  An axis of one pixel may have
        # any stride.
        row = {"height": 1, "padded_height": 1, "out_height": 1, "down_stride": 1, "right_stride": 1}
        row |= dict.fromkeys(("width", "padded_width", "out_width"), math.prod(plane))
        g = g._replace(**row)
    taps = ctx.shared("depthwise", lambda: np.ascontiguousarray(weight).reshape(-1))
    return _convolve_channels.bind(
        FREE, taps, filters.biases(ctx, channels), filters.limits, np.array(g, np.int64),
        np.array(g.places, np.int64), ctx.scratch_per_thread(g.padded_channel), FREE, count=batch * channels,
        cost=weight.size * batch * g.out_depth * g.out_height * g.out_width,
    )  # fmt: skip


_MOST_PIXELS = 512
"""The most pixels of a block: the rows of their results should not use up the buffers for addresses."""


def _rows(ctx: PrepareContext, filters: VolumeFilters, geometry: Array, batch: int) -> Job:
    from lite.kernels.cpu.machine import cache_elements
    from lite.kernels.cpu.tile_sizes import columns_for

    g = Geometry.of(geometry)
    most = min(cache_elements() // 2 // g.depth_of_rows, _MOST_PIXELS)

    def idle(rows: int) -> float:
        """The part of the lanes of a block that have no output."""
        pixels = rows * g.out_width
        return 1 - pixels / g.block(columns_for(pixels), rows)

    rows = min(range(1, max(min(most // g.out_width, g.out_height), 1) + 1), key=lambda n: (idle(n), -n))
    columns = columns_for(rows * g.out_width)
    return _convolve_rows.bind(
        FREE, filters.with_biases(ctx), np.zeros(g.block(columns, rows), np.float32), filters.limits,
        geometry, ctx.scratch_per_thread(g.panels(columns, rows)), FREE, columns, rows,
        count=batch * g.out_depth * -(-g.out_height // rows),
        cost=filters.weight.size * batch * g.out_depth * g.out_height * g.out_width,
    )  # fmt: skip


def _cost(weight: Array, geometry: Array, lines: int) -> int:
    """The multiplications of `lines` output rows, whose width is in the geometry."""
    return int(weight.size * lines * geometry[10])
