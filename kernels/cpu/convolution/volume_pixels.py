"""Dense convolution of volumes whose channels stay first: see `compiled.volume_pixels`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.cpu.convolution.volume_filters import VolumeFilters
from lite.kernels.cpu.lengths.volumes import Geometry
from lite.kernels.cpu.machine import first_cache_elements
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.native.launching import launching, launching_in_turn
from lite.kernels.cpu.tile_sizes import FEW_PIXEL_CHANNELS, LANES, PIXEL_CHANNELS, PIXEL_VECTORS
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, Scratch
from lite.plugin.kernel.run_context import PER_ELEMENT

_convolve_points = Function("volume_pixels.convolve_points")
_copy_box = Function("moves.layout.copy_box")
_part_channels = Function("volume_pixels.part_channels")
_convolve_pixels = Function("volume_pixels.convolve_pixels")


def by_points(ctx: PrepareContext, filters: VolumeFilters, g: Geometry, batch: int) -> KernelFunction | None:
    """For windows of one element; None for fewer outputs or channels than in a tile."""
    outputs, channels, size = g.out_channels, g.channels, PIXEL_VECTORS * LANES
    count = g.out_depth * g.out_height * g.out_width
    if outputs < PIXEL_CHANNELS or count < size:
        return None
    group = max(first_cache_elements() // channels // size, 1) * size

    def pack() -> Array:
        weight = filters.weight.reshape(outputs, channels)
        starts = [min(n, outputs - PIXEL_CHANNELS) for n in range(0, outputs, PIXEL_CHANNELS)]
        return np.concatenate([weight[n : n + PIXEL_CHANNELS].T.reshape(-1) for n in starts])

    convolve = _convolve_points.bind(
        FREE, ctx.shared("points", pack), filters.biases(ctx, outputs), filters.limits,
        np.arange(0, channels * count, count), FREE, channels, outputs, count, group,
        count=batch * -(-count // group), cost=filters.weight.size * batch * count,
    )  # fmt: skip
    [result] = ctx.outputs["Output"]
    if count == g.depth * g.height * g.width:
        return launching(convolve, result)
    read = ctx.scratch((batch * channels * count,))
    copy = _copy_box.bind(
        FREE, FREE, 0, g.out_depth, g.out_height, 1, g.depth * g.height * g.width,
        g.in_stride * g.height * g.width, g.down_stride * g.width, 0, g.out_width, g.right_stride,
        count=batch * channels * g.out_depth, cost=PER_ELEMENT * batch * channels * count,
    )  # fmt: skip
    return launching_in_turn([copy, convolve], [read], result)


def by_pixels(ctx: PrepareContext, filters: VolumeFilters, g: Geometry, batch: int) -> KernelFunction:
    """For any windows, after a copy of the input in which neighbouring outputs read neighbouring elements."""
    plane = g.out_height * g.out_width
    steps = (0, g.out_depth * plane, plane, g.out_width, 1)
    convolve = pixels(ctx, filters, "pixels", g, 0, steps, batch)
    return launching_in_turn(
        [parted(g, batch), convolve], [parted_input(ctx, g, batch)], ctx.outputs["Output"][0]
    )


def parted_input(ctx: PrepareContext, g: Geometry, batch: int) -> Scratch:
    """The memory that `parted` writes."""
    return ctx.scratch(((batch - 1) * g.channels * g.parted_channel + g.parted,))


def parted(g: Geometry, batch: int) -> Job:
    """The job that copies the input with its padding, and parts rows and columns by the strides."""
    channels = batch * g.channels
    geometry = np.array(g, np.int64)
    return _part_channels.bind(
        FREE, FREE, geometry, count=channels, cost=PER_ELEMENT * channels * g.parted_channel
    )


def pixels(
    ctx: PrepareContext,
    filters: VolumeFilters,
    key: str,
    g: Geometry,
    start: int,
    steps: Sequence[int],
    batch: int,
) -> Job:
    """The job that convolves a parted input, from its element `start` on, to outputs `steps` apart.

    `key` tells the filters of an op apart.
    """
    block = FEW_PIXEL_CHANNELS if g.out_channels <= FEW_PIXEL_CHANNELS else PIXEL_CHANNELS
    blocks = -(-g.out_channels // block)
    padded = blocks * block

    def pack() -> Array:
        rows = np.zeros((padded, g.channels * g.taps), np.float32)
        rows[: g.out_channels] = filters.weight.reshape(g.out_channels, -1)
        return rows.reshape(-1, block, rows.shape[1]).swapaxes(1, 2).reshape(-1)

    return _convolve_pixels.bind(
        FREE, ctx.shared(key, pack), filters.biases(ctx, padded), filters.limits, np.array(g, np.int64),
        start + np.array(g.all_places, np.int64), np.array(steps, np.int64),
        ctx.scratch_per_thread(g.lines(block)), FREE, block, count=batch * g.out_depth * blocks,
        cost=filters.weight.size * batch * g.out_depth * g.out_height * g.out_width,
    )  # fmt: skip
