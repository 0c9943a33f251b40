"""Logic of bool tensors, as compiled loops; with few elements also of other types, and broadcast."""

from __future__ import annotations

import functools
import math

from lite.ir.types import DType
from lite.kernels.cpu.element_types import AND, OR, XOR
from lite.kernels.cpu.elementwise.few_elements import condition_of_few, not_of_few
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_inverse = Function("logical.inverse")

_GRAIN = 16384
"""Elements of a worker's least share."""


def _prepare(operation: int, loop: Function, ctx: PrepareContext) -> KernelFunction | None:
    """X ∘ Y; None, for the host, where many elements are broadcast or have another type."""
    few = condition_of_few(operation, ctx)
    [x], [y], [out] = ctx.inputs["X"], ctx.inputs["Y"], ctx.outputs["Out"]
    if few is not None or {x.dtype, y.dtype} != {DType.BOOL} or not x.sizes == y.sizes == out.sizes:
        return few
    count = math.prod(out.sizes)
    job = loop.bind(FREE, FREE, FREE, count=count, cost=PER_ELEMENT * count // 4, grain=_GRAIN)
    return launching(job, out)


@kernel("logical_not", "cpu", fallback="host")
def logical_not(ctx: PrepareContext) -> KernelFunction | None:
    """True where X is 0; None, for the host, for many elements of another type than bool."""
    few, [x], [out] = not_of_few(ctx), ctx.inputs["X"], ctx.outputs["Out"]
    if few is not None or x.dtype is not DType.BOOL:
        return few
    count = math.prod(out.sizes)
    job = _inverse.bind(FREE, FREE, count=count, cost=PER_ELEMENT * count // 4, grain=_GRAIN)
    return launching(job, out)


for _op, _operation, _loop in (
    ("logical_and", AND, Function("logical.both")),
    ("logical_or", OR, Function("logical.either")),
    ("logical_xor", XOR, Function("logical.differ")),
):
    kernel(_op, "cpu", fallback="host")(functools.partial(_prepare, _operation, _loop))
