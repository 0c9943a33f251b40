"""Activations as ops of their own: "relu", "sigmoid" and the like."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_with
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_activate = Function("rows.activate")

_COST = 2
"""How much more than a copy it costs."""


def _register(op: str, attributes: tuple[str, ...]) -> None:
    def activation(X: Array, *, out: Array | None = None, **attrs: Any) -> Array:
        found = activation_with(op, attrs)
        result = np.empty(X.shape, np.float32) if out is None else out
        _activate(X, result, found.flags, found.parameters, count=X.size, cost=_COST * PER_ELEMENT * X.size)
        return result

    def prepare(ctx: PrepareContext) -> KernelFunction | None:
        x = ctx.inputs["X"][0]
        if not x.is_static:
            return None
        found = activation_with(op, {name: ctx.attrs[name] for name in attributes})
        size = math.prod(int(dim) for dim in x.dims if isinstance(dim, int))
        compute = _activate.bind(
            FREE, FREE, found.flags, found.parameters, count=size, cost=_COST * PER_ELEMENT * size
        )

        def run(X: Array, *, out: Array | None = None) -> Array:
            result = np.empty(X.shape, np.float32) if out is None else out
            compute(X, result)
            return result

        return run

    # The registry reads from the signature which attributes a kernel takes.
    parameters = [inspect.Parameter("X", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in (*attributes, "out")]
    activation.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    kernel(op, "cpu", dtype=DType.FLOAT32, prepare=prepare)(activation)


for _op, _attributes in (
    ("relu", ()),
    ("relu6", ("threshold",)),
    ("hard_sigmoid", ("slope", "offset")),
    ("hard_swish", ("threshold", "scale", "offset")),
    ("sigmoid", ()),
    ("silu", ()),
    ("swish", ("beta",)),
    ("tanh", ()),
    ("gelu", ("approximate",)),
    ("leaky_relu", ("alpha",)),
    ("elu", ("alpha",)),
):
    _register(_op, _attributes)
