"""pool2d on images in either layout."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.codes import MAXIMUM, SUM
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.placement.layout import transposition
from lite.kernels.cpu.pooling.pool_nd import lines_job
from lite.kernels.cpu.reduce.reduce import reduction
from lite.ops.image_attributes import PoolAttributes
from lite.ops.window import windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pool, _pool_by_axes = Function("pool.pool"), Function("pool.pool_by_axes")

_LOWEST = float(np.finfo(np.float32).min)
"""The maximum of a window that lies outside of the image."""


@kernel("pool2d", "cpu", dtype=DType.FLOAT32, layout=Layout.NHWC, fallback="host")
def pool2d(ctx: PrepareContext) -> KernelFunction | None:
    """Maximum or average of the windows of images ``float32[N, H, W, C]``."""
    attrs = ctx.attrs.read(PoolAttributes)
    batch, *sizes, channels = ctx.inputs["X"][0].sizes
    outs = ctx.outputs["Out"][0].sizes[1:3]
    if 0 in (*outs, *sizes, batch, channels):
        return None
    shape = (batch, *outs, channels)
    return only_launches(_run(shape, _images_job(ctx, attrs, batch, sizes, outs, channels)))


def _images_job(
    ctx: PrepareContext, attrs: PoolAttributes, batch: int, sizes: Sequence[int], outs: Sequence[int],
    channels: int,
) -> Job:  # fmt: skip
    """The job that pools images whose channels come last."""
    down, right = window_ranges(attrs, sizes, outs)
    counts = down.counts[:, None] * right.counts
    with np.errstate(divide="ignore"):
        factors = (np.float32(1) / counts.astype(np.float32)).reshape(-1)
    rows, columns = int((down.stops - down.starts).sum()), int((right.stops - right.starts).sum())
    direct, by_axes = rows * columns, rows * sizes[1] + outs[0] * columns
    cost = PER_ELEMENT * batch * channels * min(direct, by_axes)
    bounds = down.starts, down.stops, right.starts, right.stops
    last = int(attrs.is_max), _LOWEST, np.array([*sizes, channels, *outs])
    if by_axes < direct:
        row = ctx.scratch_per_thread(sizes[1] * channels)
        return _pool_by_axes.bind(FREE, FREE, *bounds, factors, row, *last, count=batch * outs[0], cost=cost)
    return _pool.bind(FREE, FREE, *bounds, factors, *last, count=batch * outs[0], cost=cost)


@kernel("pool2d", "cpu", dtype=DType.FLOAT32, layout=Layout.NCHW, fallback="host")
def pool2d_channels_first(ctx: PrepareContext) -> KernelFunction | None:
    """`pool2d` of images ``float32[N, C, H, W]``; without bins of several sizes."""
    attrs = ctx.attrs.read(PoolAttributes)
    batch, channels, *sizes = ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Out"][0].sizes
    if attrs.is_channel_last or 0 in (*shape, *sizes):
        return None
    if attrs.is_global:
        area = math.prod(sizes)
        kind, divisor = (MAXIMUM, 1) if attrs.is_max else (SUM, area)
        return only_launches(_run(shape, reduction(kind, batch * channels, area, 1, divisor)))
    if _is_small(channels, sizes):
        return _by_channels(ctx, attrs)
    if attrs.adaptive and not attrs.is_max:
        bins = sizes if attrs.global_pooling else attrs.ksize
        if any(size % out for size, out in zip(sizes, bins, strict=True)):
            return None
        kernels = [size // out for size, out in zip(sizes, bins, strict=True)]
        over = windows(sizes, kernels, kernels, (1, 1), (0, 0), "EXPLICIT")
    else:
        over = attrs.windows(sizes)
    counts = [ranges.counts for ranges in window_ranges(attrs, sizes, shape[2:])]
    if over[-1].before < 0:
        return None
    outs = (batch * channels, *shape[2:])
    return only_launches(_run(shape, lines_job(ctx, over, sizes, outs, counts, attrs.is_max, _LOWEST)))


def _run(shape: Sequence[int], compute: Job) -> KernelFunction:
    def run(X: Array, *, out: Array | None = None) -> Array:
        pooled = np.empty(shape, np.float32) if out is None else out
        compute(X, pooled)
        return pooled

    return run


def _is_small(channels: int, sizes: Sequence[int]) -> bool:
    """Whether rows fill few vectors, and channels at least one."""
    from lite.kernels.cpu.tile_sizes import LANES

    return channels >= LANES and max(sizes) <= 2 * LANES


def _by_channels(ctx: PrepareContext, attrs: PoolAttributes) -> KernelFunction:
    """Pools vectors of channels, which are put last before; for small images."""
    batch, channels, *sizes = ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Out"][0].sizes
    image, result = (ctx.scratch((batch * channels * math.prod(each),)) for each in (sizes, shape[2:]))
    before = transposition(batch, channels, math.prod(sizes))
    compute = _images_job(ctx, attrs, batch, sizes, shape[2:], channels)
    after = transposition(batch, math.prod(shape[2:]), channels)

    def run(X: Array, *, out: Array | None = None) -> Array:
        pooled = np.empty(shape, np.float32) if out is None else out
        before(X, image.array)
        compute(image.array, result.array)
        after(result.array, pooled)
        return pooled

    return only_launches(run)


class _Ranges:
    """For the windows along an axis: the ranges inside the image, and the elements that count in each."""

    def __init__(self, starts: Array, stops: Array, counts: Array) -> None:
        self.starts = np.ascontiguousarray(starts, np.int64)
        self.stops = np.ascontiguousarray(np.maximum(stops, starts), np.int64)
        self.counts = counts


def window_ranges(attrs: PoolAttributes, sizes: Sequence[int], outs: Sequence[int]) -> list[_Ranges]:
    """The ranges of windows along both axes of images, from the sizes of images and results."""
    if attrs.is_global:
        return [_Ranges(np.zeros(1), np.array([size]), np.array([size])) for size in sizes]
    if attrs.adaptive and not attrs.is_max:
        bins = sizes if attrs.global_pooling else attrs.ksize
        return [_bins(size, out) for size, out in zip(sizes, bins, strict=True)]
    ranges = []
    for window, size, out in zip(attrs.windows(sizes), sizes, outs, strict=True):
        starts = np.arange(out) * window.stride - window.before
        stops = starts + window.kernel
        inside = np.minimum(np.maximum(starts, 0), size), np.minimum(stops, size)
        counts = np.minimum(stops, size + window.before) - starts
        ranges.append(_Ranges(*inside, inside[1] - np.maximum(starts, 0) if attrs.exclusive else counts))
    return ranges


def _bins(size: int, out: int) -> _Ranges:
    steps = np.arange(out)
    starts, stops = steps * size // out, -(-(steps + 1) * size // out)
    return _Ranges(starts, stops, stops - starts)
