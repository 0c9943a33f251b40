"""Activations: flags and parameters of compiled functions, and the ops, on ``float32[...]`` of any shape."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.kernels.cpu.codes import (
    CLAMPED,
    ELU,
    GATED,
    GELU,
    GELU_TANH,
    KIND,
    LEAKY_RELU,
    PARAMETER,
    SIGMOID,
    SWISH,
    TANH,
)
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops import Trait, clamp_of, get_schema, ops_with
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.fusible import state_activations
from lite.plugin.kernel.run_context import PER_ELEMENT

_KINDS = {
    "sigmoid": SIGMOID,
    "swish": SWISH,
    "tanh": TANH,
    "leaky_relu": LEAKY_RELU,
    "elu": ELU,
}

ACTIVATIONS = ("gelu", *_KINDS, *sorted(ops_with(Trait.CLAMP)))
"""The op types that compiled functions apply as their last step."""

state_activations("cpu", ACTIVATIONS)


@dataclass(frozen=True, eq=False)
class Activation:
    """Flags as in `codes`, and their parameters: ``float32[5]``, indexed by `A` to `PARAMETER`."""

    flags: int
    parameters: Array

    @property
    def is_post_activation(self) -> bool:
        """Whether it is more than a clamp, and runs over whole rows of finished sums."""
        return bool(self.flags >> KIND)


def activation_of(name: str, params: Sequence[float] = ()) -> Activation | None:
    """The activation of that op type; None for one that is not in `ACTIVATIONS`.  "" is the identity.

    `params` are the op's attributes in the order of its schema, as for fused ops.
    """
    if not name:
        return Activation(0, _parameters())
    if name not in ACTIVATIONS:
        return None
    return activation_with(name, get_schema(name).from_numbers(params))


def activation_with(name: str, attrs: Mapping[str, AttrValue]) -> Activation:
    """The activation of an op type of `ACTIVATIONS`, with the op's attributes."""
    clamp = clamp_of(name, attrs)
    if clamp is not None:
        line = clamp.folded()
        flags = CLAMPED | GATED if line.gated else CLAMPED
        return Activation(flags, _parameters(line.slope, line.offset, line.low, line.high))
    if name == "gelu":
        return Activation((GELU_TANH if attrs["approximate"] else GELU) << KIND, _parameters())
    numbers = [float(value) for value in attrs.values() if isinstance(value, (int, float))]
    return Activation(_KINDS[name] << KIND, _parameters(parameter=next(iter(numbers), 1.0)))


def limits(low: float = -math.inf, high: float = math.inf) -> Array:
    """The parameters of the flag `CLAMPED` for ``min(max(x, low), high)``."""
    return _parameters(low=low, high=high)


def _parameters(
    a: float = 1.0, b: float = 0.0, low: float = -np.inf, high: float = np.inf, parameter: float = 0.0
) -> Array:
    return np.array([a, b, low, high, parameter], np.float32)


_activate = Function("rows.activate")

_LOOPS = {
    ELU: Function("unary.elu"),
    GELU: Function("unary.gelu"),
    GELU_TANH: Function("unary.gelu_tanh"),
    LEAKY_RELU: Function("unary.leaky_relu"),
    SIGMOID: Function("unary.sigmoid"),
    SWISH: Function("unary.swish"),
    TANH: Function("unary.tanh"),
}
"""The loops of activations that are more than straight lines."""

_COST = 2
"""The cost per element, as a multiple of a copy."""


def _prepare(op: str, ctx: PrepareContext) -> KernelFunction:
    activation, size = activation_with(op, ctx.attrs), math.prod(ctx.inputs["X"][0].sizes)
    cost, loop = _COST * PER_ELEMENT * size, _LOOPS.get(activation.flags >> KIND)
    if loop is None:
        job = _activate.bind(FREE, FREE, activation.flags, activation.parameters, count=size, cost=cost)
    else:
        parameter = float(activation.parameters[PARAMETER])
        job = loop.bind(FREE, FREE, parameter, 0.0, count=size, cost=cost)
    return launching(job, ctx.outputs["Out"][0])


for _op in ACTIVATIONS:
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(functools.partial(_prepare, _op))
