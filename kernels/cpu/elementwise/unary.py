"""Functions of each element of a float32 tensor."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_COST = 3
"""The cost per element, as a multiple of a copy."""


def _prepare(function: Function, ctx: PrepareContext) -> KernelFunction:
    shape = ctx.inputs["X"][0].sizes
    beta, threshold = ctx.attrs.real("beta", 1.0), ctx.attrs.real("threshold", math.inf)
    size = math.prod(shape)
    compute = function.bind(FREE, FREE, beta, threshold, count=size, cost=_COST * PER_ELEMENT * size)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, result)
        return result

    return only_launches(run)


for _op in (
    "abs", "ceil", "erf", "exp", "floor", "logsigmoid", "mish", "reciprocal", "rsqrt", "softplus",
    "softsign", "sqrt", "square",
):  # fmt: skip
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(
        functools.partial(_prepare, Function(f"unary.{_op}"))
    )
