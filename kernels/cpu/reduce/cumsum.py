"""cumsum of float32, integers and float64."""

from __future__ import annotations

import math

from lite.ir.types import DType
from lite.kernels.cpu.element_types import ELEMENT_TYPES
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops.shape_input import integer
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_running_sums, _of_any = Function("reduce.running_sums"), Function("elements.running_sums")


@kernel("cumsum", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("AxisTensor",), fallback="host")
def cumsum(ctx: PrepareContext) -> KernelFunction | None:
    """Sums up to each element along an axis, in order, as numpy adds them.

    None, for the host, where the axis is computed, and for tensors without axes or with at most one element.
    """
    sizes = _sizes(ctx)
    if sizes is None:
        return None
    outer, axis, columns = sizes
    flags = [int(ctx.attrs.flag(name)) for name in ("exclusive", "reverse")]
    cost = PER_ELEMENT * axis * columns * outer
    add = _running_sums.bind(FREE, FREE, axis, columns, *flags, count=outer, cost=cost)
    return launching(add, ctx.outputs["Out"][0])


@kernel("cumsum", "cpu", slots=("X",), packs=("AxisTensor",), fallback="host")
def cumsum_of_any(ctx: PrepareContext) -> KernelFunction | None:
    """The same of integers and float64."""
    x, sizes = ctx.inputs["X"][0], _sizes(ctx)
    if sizes is None or x.dtype not in ELEMENT_TYPES or x.dtype in (DType.BOOL, DType.FLOAT32):
        return None
    outer, axis, columns = sizes
    flags = [int(ctx.attrs.flag(name)) for name in ("exclusive", "reverse")]
    count, cost = outer * columns, PER_ELEMENT * axis * columns * outer
    add = _of_any.bind(FREE, FREE, axis, columns, *flags, ELEMENT_TYPES[x.dtype], count=count, cost=cost)
    return launching(add, ctx.outputs["Out"][0])


def _sizes(ctx: PrepareContext) -> tuple[int, int, int] | None:
    """The elements before the axis, along it and after it."""
    attrs, sizes, given = ctx.attrs, ctx.inputs["X"][0].sizes, ctx.constant("AxisTensor")
    count = math.prod(sizes)
    if (given is None and ctx.inputs.get("AxisTensor")) or not sizes or count < 2:
        return None
    shape = (count,) if attrs.flag("flatten") else sizes
    axis = integer(attrs.integer("axis"), given) if len(shape) == len(sizes) else 0
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
