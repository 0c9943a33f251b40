"""concat, split, nearest_interp_v2 and maxima of pool2d for uint8: the integers of quantised values."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE
from lite.kernels.cpu.pooling.pool2d import window_ranges
from lite.kernels.cpu.resize.interp import nearest_indices
from lite.kernels.cpu.shape.join import column_copies, joined_axis
from lite.ops.image_attributes import PoolAttributes
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_pool, _take = Function("byte_moves.pool"), Function("byte_moves.take")
_copy_columns = Function("byte_moves.copy_columns")

_PER_BYTE = max(PER_ELEMENT // 4, 1)


@kernel("concat", "cpu", dtype=DType.UINT8, slots=("X",), fallback="host")
def concat(ctx: PrepareContext) -> KernelFunction | None:
    """Join the tensors of X along an axis."""
    parts, whole = ctx.inputs["X"], ctx.outputs["Out"][0]
    place = joined_axis(ctx, whole)
    if place is None or not all(part.dtype is DType.UINT8 for part in parts):
        return None
    shape = whole.sizes
    jobs = column_copies(_copy_columns, shape, [part.sizes[place] for part in parts], place, is_split=False)

    def run(X: list[Array], *, out: Array | None = None) -> Array:
        joined = np.empty(shape, np.uint8) if out is None else out
        for job, x in zip(jobs, X, strict=True):
            job(x, joined)
        return joined

    return run


@kernel("split", "cpu", dtype=DType.UINT8, slots=("X",), fallback="host")
def split(ctx: PrepareContext) -> KernelFunction | None:
    """Split X along an axis into `num` equal parts, or into parts of `sections` (-1 for the rest)."""
    parts, whole = ctx.outputs["Out"], ctx.inputs["X"][0]
    place = joined_axis(ctx, whole)
    if place is None:
        return None
    shapes = [part.sizes for part in parts]
    sizes = [shape[place] for shape in shapes]
    jobs = column_copies(_copy_columns, whole.sizes, sizes, place, is_split=True)

    def run(X: Array, *, out: list[Array] | None = None) -> list[Array]:
        results = [np.empty(shape, np.uint8) for shape in shapes] if out is None else out
        for job, part in zip(jobs, results, strict=True):
            job(X, part)
        return results

    return run


@kernel("nearest_interp_v2", "cpu", dtype=DType.UINT8, layout=Layout.NHWC, slots=("X",), fallback="host")
def nearest_interp_v2(ctx: PrepareContext) -> KernelFunction | None:
    """Resize images ``uint8[N, H, W, C]``: each pixel is the nearest one of the input."""
    shape = ctx.outputs["Out"][0].sizes
    batch, *sizes, channels = ctx.inputs["X"][0].sizes
    indices = nearest_indices(ctx)
    if indices is None:
        return None
    compute = _take.bind(
        FREE, FREE, *indices, np.array([*sizes, channels, *shape[1:3]]),
        count=batch * shape[1], cost=_PER_BYTE * math.prod(shape),
    )  # fmt: skip

    def run(X: Array, *, out: Array | None = None) -> Array:
        resized = np.empty(shape, np.uint8) if out is None else out
        compute(X, resized)
        return resized

    return run


@kernel("pool2d", "cpu", dtype=DType.UINT8, layout=Layout.NHWC, slots=("X",), fallback="host")
def pool2d(ctx: PrepareContext) -> KernelFunction | None:
    """Maximum of the windows of images ``uint8[N, H, W, C]``, of which none is outside the image."""
    attrs = ctx.attrs.read(PoolAttributes)
    batch, *sizes, channels = ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Out"][0].sizes
    if not attrs.is_max or 0 in (*shape, *sizes, batch, channels):
        return None
    down, right = window_ranges(attrs, sizes, shape[1:3])
    spans = down.stops - down.starts, right.stops - right.starts
    if min(spans[0].min(), spans[1].min()) < 1:
        return None
    compute = _pool.bind(
        FREE, FREE, down.starts, down.stops, right.starts, right.stops,
        np.array([*sizes, channels, *shape[1:3]]),
        count=batch * shape[1], cost=_PER_BYTE * batch * channels * int(spans[0].sum() * spans[1].sum()),
    )  # fmt: skip

    def run(X: Array, *, out: Array | None = None) -> Array:
        pooled = np.empty(shape, np.uint8) if out is None else out
        compute(X, pooled)
        return pooled

    return run
