"""Maxima of pool2d for bytes: the integers of quantised values."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE
from lite.kernels.cpu.native.launching import launching
from lite.kernels.cpu.pooling.pool2d import window_ranges
from lite.ops.image_attributes import PoolAttributes
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_BYTE

_pool = Function("moves.byte_moves.pool")

_SIGN = 0x80


@kernel("pool2d", "cpu", dtype=DType.INT8, layout=Layout.NHWC, slots=("X",), fallback="host")
@kernel("pool2d", "cpu", dtype=DType.UINT8, layout=Layout.NHWC, slots=("X",), fallback="host")
def pool2d(ctx: PrepareContext) -> KernelFunction | None:
    """Maximum of the windows of images of bytes ``[N, H, W, C]``, of which none is outside the image."""
    attrs = ctx.attrs.read(PoolAttributes)
    batch, *sizes, channels = ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Out"][0].sizes
    if not attrs.is_max or 0 in (*shape, *sizes, batch, channels):
        return None
    down, right = window_ranges(attrs, sizes, shape[1:3])
    spans = down.stops - down.starts, right.stops - right.starts
    if min(spans[0].min(), spans[1].min()) < 1:
        return None
    job = _pool.bind(
        FREE, FREE, down.starts, down.stops, right.starts, right.stops,
        np.array([*sizes, channels, *shape[1:3]]), _SIGN if ctx.inputs["X"][0].dtype is DType.INT8 else 0,
        count=batch * shape[1], cost=PER_BYTE * batch * channels * int(spans[0].sum() * spans[1].sum()),
    )  # fmt: skip
    return launching(job, ctx.outputs["Out"][0])
