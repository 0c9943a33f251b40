"""take_along_axis and put_along_axis of float32 elements."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.as_int64 import as_int64
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_take_elements = Function("index.take_elements")
_put_elements = Function("index.put_elements")

WAYS = {"assign": 0, "add": 1, "mul": 2, "multiply": 2}
"""How an update is combined with an element, as `compiled.index` numbers the ways."""


@kernel("take_along_axis", "cpu", dtype=DType.FLOAT32, fallback="host")
def take_along_axis(ctx: PrepareContext) -> KernelFunction | None:
    """``Result[i, n, j] = Input[i, Index[i, n, j], j]``, where n counts along the attribute Axis.

    Negative indices count from the end; an index outside of the axis raises `IndexError`.  None, so that the
    host runs the op, for empty tensors, and where Index and Input differ on an axis other than Axis and 0.
    """
    x, index = ctx.inputs["Input"][0], ctx.inputs["Index"][0]
    axis = ctx.attrs.integer("Axis") % len(x.sizes)
    wide = as_int64(ctx, index) if _is_along(x, index, axis) else None
    if wide is None:
        return None
    indices = index.sizes
    size, width, rows = x.sizes[axis], math.prod(x.sizes[axis + 1 :]), math.prod(indices[: axis + 1])
    failures = IndexFailures("Index", [size])
    take = _take_elements.bind(
        FREE, FREE, FREE, failures.array, size, indices[axis], width,
        count=rows, cost=PER_ELEMENT * rows * width,
    )  # fmt: skip

    def run(Input: Array, Index: Array, *, out: Array | None = None) -> Array:
        result = np.empty(indices, np.float32) if out is None else out
        take(Input, wide(Index), result)
        return result

    return only_launches(run, failures.error)


@kernel("put_along_axis", "cpu", dtype=DType.FLOAT32, fallback="host")
def put_along_axis(ctx: PrepareContext) -> KernelFunction | None:
    """``Result = Input``, then ``Result[i, Index[i, n, j], j] = Value[i, n, j]``, or their sum or product.

    None, so that the host runs the op, for other reductions, without the element that is there, where Value
    is broadcast, and where `take_along_axis` is None.
    """
    x, index, value = (ctx.inputs[slot][0] for slot in ("Input", "Index", "Value"))
    axis, how = ctx.attrs.integer("Axis") % len(x.sizes), WAYS.get(ctx.attrs.text("Reduce"))
    if how is None or not ctx.attrs.flag("Include_self"):
        return None
    if not _is_along(x, index, axis) or value.sizes != index.sizes:
        return None
    wide = as_int64(ctx, index) if value.dtype is DType.FLOAT32 else None
    if wide is None:
        return None
    shape, outer = x.sizes, math.prod(index.sizes[:axis])
    size, width, rows = shape[axis], math.prod(shape[axis + 1 :]), math.prod(shape[:axis])
    failures = IndexFailures("Index", [size])
    put = _put_elements.bind(
        FREE, FREE, FREE, FREE, failures.array, size, index.sizes[axis], width, outer, how,
        count=rows, cost=PER_ELEMENT * (math.prod(shape) + 2 * math.prod(index.sizes)),
    )  # fmt: skip

    def run(Input: Array, Index: Array, Value: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        put(Input, wide(Index), Value, result)
        return result

    return only_launches(run, failures.error)


def _is_along(x: Meta, index: Meta, axis: int) -> bool:
    """Whether indices fit the compiled functions: as many as elements on all but two axes."""
    shape, indices = x.sizes, index.sizes
    return 0 not in (*shape, *indices) and all(
        shape[n] == indices[n] for n in range(1, len(shape)) if n != axis
    )
