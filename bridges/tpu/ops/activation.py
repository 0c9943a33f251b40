"""Activations → Relu, Sigmoid, Tanh, Softmax, GELU, …, as ops and fused into another op.

An activation of straight lines without a function of its own becomes a product, a sum and a Clip; its bounds
are in order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.ops import SCHEMAS, Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.plugin.device import BridgeOp, bridge

Function = Callable[..., Tensor]
"""Adds an activation, from the builder, a tensor and the attributes in the order of the op's schema."""

_LARGEST = 3.4028234e38
"""The largest float32, in place of an infinite bound."""


def _swish(b: Builder, x: Tensor, beta: float) -> Tensor:
    return b.lang.mul(x, b.lang.sigmoid(x if beta == 1 else b.lang.mul(x, beta)))


def _hard_swish(b: Builder, x: Tensor, threshold: float, scale: float, offset: float) -> Tensor:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return b.lang.hswish(x)
    gate = b.lang.clamp(b.lang.add(x, float(offset)), 0.0, float(threshold))
    return b.lang.mul(b.lang.mul(x, gate), 1.0 / scale)


def _gelu(b: Builder, x: Tensor, approximate: bool) -> Tensor:
    if not approximate:
        return b.lang.gelu(x)
    cube = b.lang.mul(b.lang.mul(b.lang.mul(x, x), x), 0.044715)
    inner = b.lang.mul(b.lang.add(x, cube), math.sqrt(2 / math.pi))
    return b.lang.mul(b.lang.mul(b.lang.add(b.lang.tanh(inner), 1.0), x), 0.5)


def clamped(b: Builder, x: Tensor, clamp: Clamp) -> Tensor:
    """An activation of straight lines; steps that change nothing are left out."""
    line = clamp.folded()
    y = x if line.slope == 1 else b.lang.mul(x, float(line.slope))
    y = y if line.offset == 0 else b.lang.add(y, float(line.offset))
    low, high = max(float(line.low), -_LARGEST), min(float(line.high), _LARGEST)
    if (low, high) == (0.0, _LARGEST):
        y = b.lang.relu(y)
    elif (low, high) != (-_LARGEST, _LARGEST):
        y = b.lang.clamp(y, low, high)
    return b.lang.mul(x, y) if line.gated else y


def _clamped(name: str, b: Builder, x: Tensor, *numbers: float) -> Tensor:
    return clamped(b, x, clamp_of(name, SCHEMAS[name].from_numbers(numbers)) or Clamp())


_FUNCTIONS: dict[str, Function] = {
    "gelu": _gelu,
    "hard_swish": _hard_swish,
    "leaky_relu": lambda b, x, alpha: b.lang.leaky_relu(x, float(alpha)),
    "relu": lambda b, x: b.lang.relu(x),
    "sigmoid": lambda b, x: b.lang.sigmoid(x),
    "swish": _swish,
    "tanh": lambda b, x: b.lang.tanh(x),
}
_FUNCTIONS |= {
    name: functools.partial(_clamped, name) for name in sorted(ops_with(Trait.CLAMP) - _FUNCTIONS.keys())
}

_PARAMETERS = {name: tuple(SCHEMAS[name].attrs) for name in _FUNCTIONS}
"""The attributes of each activation, in the order of its function's parameters."""


def activated(b: Builder, name: str, x: Tensor, params: Sequence[float] = ()) -> Tensor:
    """`x` after a fused activation, none where `name` is empty; without `params`, with Paddle's defaults."""
    if not name:
        return x
    attrs = SCHEMAS[name].attrs
    values = [params[n] if n < len(params) else attrs[key].default for n, key in enumerate(_PARAMETERS[name])]
    return _FUNCTIONS[name](b, x, *values)


def why_not_activation(name: str) -> str | None:
    """Why an op cannot run with this fused activation; None when it can."""
    if name and name not in _FUNCTIONS:
        return f"its fused activation is {name!r}, expected one of {', '.join(_FUNCTIONS)}"
    return None


def _why_not_parameters(op: BridgeOp) -> str | None:
    for name in _PARAMETERS[op.op]:
        value = op.real(name)
        if not math.isfinite(value):
            return f"{name} is {value}, expected a finite number"
    clamp = clamp_of(op.op, op.node.attrs)
    if clamp is not None and not clamp.low <= clamp.high:
        return f"its bounds are {clamp.low} and {clamp.high}, the device takes them in order"
    return None


def _activation(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return _FUNCTIONS[op.op](b, x, *(op.real(name) for name in _PARAMETERS[op.op]))


for _name in _FUNCTIONS:
    bridge("tpu", _name)(Row("X", _activation, _why_not_parameters))
