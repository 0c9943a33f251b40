"""softmax of float32, and log_softmax over the last axis."""

from __future__ import annotations

import math

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_softmax_rows, _softmax_columns = Function("rows.softmax_rows"), Function("rows.softmax_columns")
_log_softmax_rows = Function("rows.log_softmax_rows")

_PASSES = 4
"""The cost per element, as a multiple of a copy."""


@kernel("softmax", "cpu", dtype=DType.FLOAT32, fallback="host")
def softmax(ctx: PrepareContext) -> KernelFunction | None:
    """exp(x) / sum(exp(x)) along an axis."""
    return _along_axis(ctx, _softmax_rows, _softmax_columns)


@kernel("log_softmax", "cpu", dtype=DType.FLOAT32, fallback="host")
def log_softmax(ctx: PrepareContext) -> KernelFunction | None:
    """log(exp(x) / sum(exp(x))) along the last axis; None for other axes."""
    return _along_axis(ctx, _log_softmax_rows, None)


def _along_axis(ctx: PrepareContext, rows: Function, columns: Function | None) -> KernelFunction | None:
    from lite.kernels.cpu.tile_sizes import LANES

    x, axis = ctx.inputs["X"][0], ctx.attrs.integer("axis")
    shape, size = x.sizes, math.prod(x.sizes)
    if x.dtype is not DType.FLOAT32 or not size or not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    length, inner, cost = shape[axis], math.prod(shape[axis + 1 :]), _PASSES * PER_ELEMENT * size
    if inner == 1:
        job = rows.bind(FREE, FREE, length, count=size // length, cost=cost)
    elif columns is not None:
        blocks = size // (length * inner) * -(-inner // LANES)
        job = columns.bind(FREE, FREE, length, inner, count=blocks, cost=cost)
    else:
        return None
    return launching(job, ctx.outputs["Out"][0])
