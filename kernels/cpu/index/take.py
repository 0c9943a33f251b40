"""gather, take and lookup_table_v2 of float32."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.as_int64 import as_int64
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_take_slices = Function("index.take_slices")

_NO_PADDING = -(2**63)


@kernel("take", "cpu", dtype=DType.FLOAT32, fallback="host")
def take(ctx: PrepareContext) -> KernelFunction | None:
    """Slices of X along the attribute axis, in the shape of Index; negative indices count from the end."""
    return _slices(ctx, "X", "Index", ctx.attrs.integer("axis"), _NO_PADDING, negative=True)


@kernel("gather", "cpu", dtype=DType.FLOAT32, slots=("X", "Index"), fallback="host")
def gather(ctx: PrepareContext) -> KernelFunction | None:
    """Slices of X along the attribute axis; None, for the host, where the axis is an input."""
    if ctx.inputs.get("Axis"):
        return None
    return _slices(ctx, "X", "Index", ctx.attrs.integer("axis"), _NO_PADDING, negative=True)


@kernel("lookup_table_v2", "cpu", dtype=DType.FLOAT32, fallback="host")
def lookup_table_v2(ctx: PrepareContext) -> KernelFunction | None:
    """The rows Ids of W; zeros for the id `padding_idx`, unless it is -1."""
    padding = ctx.attrs.integer("padding_idx")
    return _slices(ctx, "W", "Ids", 0, _NO_PADDING if padding == -1 else padding, negative=False)


def _slices(
    ctx: PrepareContext, slot: str, index_slot: str, axis: int, padding: int, *, negative: bool
) -> KernelFunction | None:
    x, index = ctx.inputs[slot][0], ctx.inputs[index_slot][0]
    [out] = ctx.outputs["Out"]
    wide = None if 0 in (*x.sizes, *index.sizes) else as_int64(ctx, index)
    if wide is None:
        return None
    axis %= len(x.sizes)
    size, width = x.sizes[axis], math.prod(x.sizes[axis + 1 :])
    indices, shape = math.prod(index.sizes), out.sizes
    count = math.prod(x.sizes[:axis]) * indices
    failures = IndexFailures(index_slot, [size], negative=negative)
    lowest = -size if negative else 0
    launch = _take_slices.bind(
        FREE, FREE, FREE, failures.array, size, indices, width, lowest, padding,
        count=count, cost=PER_ELEMENT * count * width, grain=max(1, 1024 // width),
    )  # fmt: skip

    def run(source: Array, places: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        launch(source, wide(places), result)
        return result

    return only_launches(run, failures.error)
