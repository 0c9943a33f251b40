"""gather, take and take_along_axis of any type by few indices, as loops read their inputs and tables.

Slices of several elements may be many.
"""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.element_types import ELEMENT_TYPES, is_plain
from lite.kernels.cpu.elementwise.few_elements import MOST
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_LEAST_BYTES = 16
"""With many slices that are shorter, numpy is faster."""

_take = Function("elements.take")
_take_along = Function("elements.take_along")


@kernel("gather", "cpu", slots=("X", "Index"), fallback="host")
@kernel("take", "cpu", fallback="host")
def slices(ctx: PrepareContext) -> KernelFunction | None:
    """Slices of X along the attribute axis; None where the axis is an input, and for many short slices."""
    [x], [index], [out] = ctx.inputs["X"], ctx.inputs["Index"], ctx.outputs["Out"]
    indices, axis = math.prod(index.sizes), ctx.attrs.integer("axis") % max(x.rank, 1)
    if ctx.inputs.get("Axis") or not x.rank or 0 in (*x.sizes, *index.sizes):
        return None
    outer, size, inner = math.prod(x.sizes[:axis]), x.sizes[axis], math.prod(x.sizes[axis + 1 :])
    width = inner * x.dtype.itemsize
    if outer * indices > MOST and width < _LEAST_BYTES:
        return None
    if not is_plain(x.dtype) or index.dtype not in (DType.INT32, DType.INT64):
        return None
    failures = IndexFailures("Index", [size])
    job = _take.bind(
        FREE, FREE, FREE, failures.array, ELEMENT_TYPES[index.dtype], size, indices, -size, width,
        count=outer * indices, cost=PER_ELEMENT * outer * indices * inner,
    )  # fmt: skip
    return launching(job, out, failures.error)


@kernel("take_along_axis", "cpu", fallback="host")
def elements(ctx: PrepareContext) -> KernelFunction | None:
    """``Result[i, n, j] = Input[i, Index[i, n, j], j]``, where n counts along the attribute Axis.

    None for many indices, and where Index and Input differ on an axis other than Axis and 0.
    """
    [x], [index] = ctx.inputs["Input"], ctx.inputs["Index"]
    axis, indices, count = ctx.attrs.integer("Axis") % max(x.rank, 1), index.sizes, math.prod(index.sizes)
    alike = [size == n for size, n in zip(x.sizes, indices, strict=True)]
    if 0 in (*x.sizes, *indices) or not all(alike[n] for n in range(1, x.rank) if n != axis):
        return None
    if count > MOST or not is_plain(x.dtype) or index.dtype not in (DType.INT32, DType.INT64):
        return None
    size, inner, width = x.sizes[axis], math.prod(x.sizes[axis + 1 :]), x.dtype.itemsize
    failures, dtype = IndexFailures("Index", [size]), x.dtype.numpy
    job = _take_along.bind(
        FREE, FREE, FREE, failures.array, ELEMENT_TYPES[index.dtype], size, indices[axis], inner, width,
        count=count, cost=PER_ELEMENT * count,
    )  # fmt: skip

    def run(Input: Array, Index: Array, *, out: Array | None = None) -> Array:
        result = np.empty(indices, dtype) if out is None else out
        job(Input, Index, result)
        return result

    return only_launches(run, failures.error)
