"""Functions of each element of a float32 tensor."""

from __future__ import annotations

import functools
import math

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_COST = 3
"""The cost per element, as a multiple of a copy."""


def _prepare(function: Function, ctx: PrepareContext) -> KernelFunction:
    size = math.prod(ctx.inputs["X"][0].sizes)
    beta, threshold = ctx.attrs.real("beta", 1.0), ctx.attrs.real("threshold", math.inf)
    job = function.bind(FREE, FREE, beta, threshold, count=size, cost=_COST * PER_ELEMENT * size)
    return launching(job, ctx.outputs["Out"][0])


for _op in (
    "abs", "ceil", "erf", "exp", "floor", "logsigmoid", "mish", "reciprocal", "rsqrt", "softplus",
    "softsign", "sqrt", "square", "thresholded_relu",
):  # fmt: skip
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(
        functools.partial(_prepare, Function(f"unary.{_op}"))
    )
