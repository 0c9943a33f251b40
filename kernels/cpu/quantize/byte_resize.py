"""nearest_interp_v2 for uint8: the integers of quantised values."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE
from lite.kernels.cpu.native.launching import launching
from lite.kernels.cpu.resize.interp import nearest_indices
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_BYTE

_take = Function("moves.byte_moves.take")


@kernel("nearest_interp_v2", "cpu", dtype=DType.UINT8, layout=Layout.NHWC, slots=("X",), fallback="host")
def nearest_interp_v2(ctx: PrepareContext) -> KernelFunction | None:
    """Resize images ``uint8[N, H, W, C]``: each pixel is the nearest one of the input."""
    shape = ctx.outputs["Out"][0].sizes
    batch, *sizes, channels = ctx.inputs["X"][0].sizes
    indices = nearest_indices(ctx)
    if indices is None:
        return None
    job = _take.bind(
        FREE, FREE, *indices, np.array([*sizes, channels, *shape[1:3]]),
        count=batch * shape[1], cost=PER_BYTE * math.prod(shape),
    )  # fmt: skip
    return launching(job, ctx.outputs["Out"][0])
