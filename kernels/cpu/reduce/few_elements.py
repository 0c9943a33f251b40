"""Reductions of few integers and conditions: reduce_all, _any, _max, _min and _sum."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.element_types import ADD, AND, ELEMENT_TYPES, HIGHER, LOWER, OR
from lite.kernels.cpu.elementwise.few_elements import MOST, is_few
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel

_reduce = Function("elements.reduce")

_OPERATIONS = {
    "reduce_all": AND,
    "reduce_any": OR,
    "reduce_max": HIGHER,
    "reduce_min": LOWER,
    "reduce_sum": ADD,
}


def _prepare(operation: int, ctx: PrepareContext) -> KernelFunction | None:
    """None for reals, and where a tensor has the axes."""
    [x], [out], attrs = ctx.inputs["X"], ctx.outputs["Out"], ctx.attrs
    count = math.prod(x.sizes)
    is_condition = operation in (AND, OR)
    types = x.dtype is DType.BOOL if is_condition else x.dtype.is_integer and out.dtype.is_integer
    if ctx.inputs.get("AxisTensor") or not types or not is_few(ctx) or not 0 < count <= MOST:
        return None
    dim = attrs.integers("dim")
    every = attrs.flag("reduce_all") or not dim
    axes = sorted({axis % max(x.rank, 1) for axis in dim}) if not every and x.rank else range(x.rank)
    kept = [axis for axis in range(x.rank) if axis not in axes]
    numbers = np.arange(count, dtype=np.int64).reshape(x.sizes).transpose(*kept, *axes)
    results = math.prod(out.sizes)
    kinds = ELEMENT_TYPES[x.dtype], ELEMENT_TYPES[out.dtype]
    places = np.ascontiguousarray(numbers).reshape(-1)
    return launching(
        _reduce.bind(FREE, FREE, places, count // results, operation, *kinds, count=results), out
    )


for _op, _operation in _OPERATIONS.items():
    kernel(_op, "cpu", slots=("X",), fallback="host")(functools.partial(_prepare, _operation))
