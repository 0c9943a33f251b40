"""softmax and log_softmax over the last axis of float32."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_ROWS = {
    "softmax": Function("rows.softmax_rows"),
    "log_softmax": Function("rows.log_softmax_rows"),
}

_PASSES = 4
"""The cost per element, as a multiple of a copy."""


def _over_last_axis(ctx: PrepareContext, *, rows: Function) -> KernelFunction | None:
    x, axis = ctx.inputs["X"][0], ctx.attrs.integer("axis")
    shape, size = x.sizes, math.prod(x.sizes)
    if x.dtype is not DType.FLOAT32 or not shape or not size or axis not in (-1, len(shape) - 1):
        return None
    columns = shape[-1]
    compute = rows.bind(FREE, FREE, columns, count=size // columns, cost=_PASSES * PER_ELEMENT * size)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, result)
        return result

    return only_launches(run)


for _name, _function in _ROWS.items():
    _prepare = functools.partial(_over_last_axis, rows=_function)
    kernel(_name, "cpu", dtype=DType.FLOAT32, fallback="host")(_prepare)
