"""The ops that are an activation: "relu", "sigmoid" and others, on ``float32[...]`` of any shape."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_with
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_activate = Function("rows.activate")

_COST = 2
"""The cost per element, as a multiple of a copy."""


def _prepare(op: str, ctx: PrepareContext) -> KernelFunction:
    activation, shape = activation_with(op, ctx.attrs), ctx.inputs["X"][0].sizes
    size = math.prod(shape)
    compute = _activate.bind(
        FREE, FREE, activation.flags, activation.parameters, count=size, cost=_COST * PER_ELEMENT * size
    )

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, result)
        return result

    return run


for _op in (
    "relu",
    "relu6",
    "hard_sigmoid",
    "hard_swish",
    "sigmoid",
    "swish",
    "tanh",
    "gelu",
    "leaky_relu",
    "elu",
):
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(functools.partial(_prepare, _op))
