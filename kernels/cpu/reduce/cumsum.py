"""cumsum of float32."""

from __future__ import annotations

import math

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops.shape_input import integer
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_running_sums = Function("reduce.running_sums")


@kernel("cumsum", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("AxisTensor",), fallback="host")
def cumsum(ctx: PrepareContext) -> KernelFunction | None:
    """Sums up to each element along an axis, in order, as numpy adds them.

    None, for the host, where the axis is computed, and for tensors without axes or with at most one element.
    """
    attrs, sizes, given = ctx.attrs, ctx.inputs["X"][0].sizes, ctx.constant("AxisTensor")
    count = math.prod(sizes)
    if (given is None and ctx.inputs.get("AxisTensor")) or not sizes or count < 2:
        return None
    shape = (count,) if attrs.flag("flatten") else sizes
    axis = integer(attrs.integer("axis"), given) if len(shape) == len(sizes) else 0
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    add = _running_sums.bind(
        FREE, FREE, shape[axis], math.prod(shape[axis + 1 :]), int(attrs.flag("exclusive")),
        int(attrs.flag("reverse")), count=math.prod(shape[:axis]), cost=PER_ELEMENT * count,
    )  # fmt: skip
    return launching(add, ctx.outputs["Out"][0])
