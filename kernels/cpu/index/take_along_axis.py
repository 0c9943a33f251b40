"""take_along_axis of float32 elements by int64 indices."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_take_elements = Function("index.take_elements")


@kernel("take_along_axis", "cpu", dtype=DType.FLOAT32, fallback="host")
def take_along_axis(ctx: PrepareContext) -> KernelFunction | None:
    """``Result[i, n, j] = Input[i, Index[i, n, j], j]``, where n counts along the attribute Axis.

    Negative indices count from the end; an index outside of the axis raises `IndexError`.  None, so that the
    host runs the op, for empty tensors, and where Index and Input differ on an axis other than Axis and 0.
    """
    x, index = ctx.inputs["Input"][0], ctx.inputs["Index"][0]
    shape, indices = x.sizes, index.sizes
    if index.dtype is not DType.INT64 or 0 in (*shape, *indices):
        return None
    axis = ctx.attrs.integer("Axis") % len(shape)
    if any(shape[n] != indices[n] for n in range(1, len(shape)) if n != axis):
        return None
    size, width, rows = shape[axis], math.prod(shape[axis + 1 :]), math.prod(indices[: axis + 1])
    take = _take_elements.bind(
        FREE, FREE, FREE, FREE, size, indices[axis], width, count=rows, cost=PER_ELEMENT * rows * width
    )

    def run(Input: Array, Index: Array, *, out: Array | None = None) -> Array:
        result = np.empty(indices, np.float32) if out is None else out
        failures = np.zeros(1, np.int64)
        take(Input, Index, result, failures)
        if failures[0]:
            least, greatest = int(Index.min()), int(Index.max())
            raise IndexError(f"Index: expected {-size} to {size - 1}, got {least} to {greatest}")
        return result

    return run
