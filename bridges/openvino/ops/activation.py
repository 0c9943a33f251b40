"""Activations → Relu, Elu, Gelu, HSwish, PRelu, Swish, … (opset 15), as ops and fused into another op.

float16 or float32 of known rank, with finite parameters.  An activation of straight lines without a function
of its own becomes Clamp, whose bounds must be in order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.gelu_lookalike import why_not_tanh
from lite.bridges.openvino.real_values import clamp_input
from lite.bridges.openvino.row import Row
from lite.ops import SCHEMAS, Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.ops.view import product
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, bridge

Function = Callable[..., Tensor]
"""Adds an activation, from the builder, a tensor and the attributes in the order of the op's schema."""

_DEFAULT_THRESHOLD = 15.0
"""Softplus equals its argument in float32 from here on."""


def _celu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    return b.op.multiply(b.op.elu(b.op.divide(x, b.like(alpha, x)), 1.0), b.like(alpha, x))


def _elu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    """Elu takes no alpha below 0."""
    if alpha >= 0:
        return b.op.elu(x, alpha)
    negative = b.op.multiply(b.like(-alpha, x), b.op.elu(x, -1.0))
    return b.op.select(b.op.greater(x, b.like(0, x)), x, negative)


def _hard_swish(b: Builder, x: Tensor, threshold: float, scale: float, offset: float) -> Tensor:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return b.op.hswish(x)
    gate = b.op.clamp(b.op.add(x, b.like(offset, x)), 0.0, threshold)
    return b.op.divide(b.op.multiply(x, gate), b.like(scale, x))


def _hard_sigmoid(b: Builder, x: Tensor, slope: float, offset: float) -> Tensor:
    # OpenVINO 2026.4 adds 0.5 in place of an offset of 0.
    if offset == 0:
        return b.op.clamp(b.op.multiply(x, b.like(slope, x)), 0.0, 1.0)
    return b.op.hard_sigmoid(x, b.like(slope, x), b.like(offset, x))


def _softplus(b: Builder, x: Tensor, beta: float, threshold: float) -> Tensor:
    scaled = x if beta == 1 else b.op.multiply(x, b.like(beta, x))
    result = b.op.softplus(scaled)
    if beta != 1:
        result = b.op.divide(result, b.like(beta, x))
    if threshold >= _DEFAULT_THRESHOLD:
        return result
    return b.op.select(b.op.greater(scaled, b.like(threshold, x)), x, result)


def _mish(b: Builder, x: Tensor, threshold: float) -> Tensor:
    if threshold >= _DEFAULT_THRESHOLD:
        return b.op.mish(x)
    return b.op.multiply(x, b.op.tanh(_softplus(b, x, 1.0, threshold)))


def _thresholded_relu(b: Builder, x: Tensor, threshold: float) -> Tensor:
    return b.op.select(b.op.greater(x, b.like(threshold, x)), x, b.like(0, x))


def _shrink(b: Builder, x: Tensor, lambd: float, bias: float) -> Tensor:
    """x − bias above lambd, x + bias below −lambd, 0 between."""
    amount = b.like(bias, x)
    above = b.op.select(b.op.greater(x, b.like(lambd, x)), b.op.subtract(x, amount), b.like(0, x))
    return b.op.select(b.op.less(x, b.like(-lambd, x)), b.op.add(x, amount), above)


def _clamped(name: str, b: Builder, x: Tensor, *numbers: float) -> Tensor:
    """Any activation of straight lines by Multiply, Add and Clamp; steps that change nothing are left out."""
    line = _clamp(name, numbers).folded()
    y = x if line.slope == 1 else b.op.multiply(x, b.like(line.slope, x))
    y = y if line.offset == 0 else b.op.add(y, b.like(line.offset, x))
    y = b.op.clamp(y, line.low, line.high)
    return b.op.multiply(x, y) if line.gated else y


def _clamp(name: str, numbers: Sequence[float]) -> Clamp:
    return clamp_of(name, SCHEMAS[name].from_numbers(numbers)) or Clamp()


_FUNCTIONS: dict[str, Function] = {
    "celu": _celu,
    "elu": _elu,
    "gelu": lambda b, x, approximate: b.op.gelu(x, "tanh" if approximate else "erf"),
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _hard_swish,
    "leaky_relu": lambda b, x, alpha: b.op.prelu(x, b.like(alpha, x)),
    "logsigmoid": lambda b, x: b.op.negative(b.op.softplus(b.op.negative(x))),
    "mish": _mish,
    "relu": lambda b, x: b.op.relu(x),
    "selu": lambda b, x, scale, alpha: b.op.selu(x, b.like(alpha, x), b.like(scale, x)),
    "sigmoid": lambda b, x: b.op.sigmoid(x),
    "softplus": _softplus,
    "softsign": lambda b, x: b.op.softsign(x),
    "swish": lambda b, x, beta: b.op.swish(x, b.like(beta, x)),
    "tanh": lambda b, x: b.op.tanh(x),
    "thresholded_relu": _thresholded_relu,
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
        return f"its bounds are {clamp.low} and {clamp.high}, OpenVINO's Clamp takes them in order"
    return why_not_tanh(op.node) if op.op == "tanh" else None


def _activation(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    clamp = clamp_of(op.op, op.node.attrs)
    if clamp is not None:
        x = clamp_input(b, op, x, (clamp.low, clamp.high))
    return _FUNCTIONS[op.op](b, x, *(op.real(name) for name in _PARAMETERS[op.op]))


def _why_not_prelu(op: BridgeOp) -> str | None:
    mode, x = op.text("mode"), op["X"]
    if mode == "element" and any(isinstance(dim, str) for dim in x.dims[1:]):
        return f"X is {x}: in mode element, the sizes of a sample must be known"
    if mode == "element" and product(op["Alpha"].dims) != product(x.dims[1:]):
        return f"Alpha is {op['Alpha']} for X {x}: in mode element, it must have the slopes of one sample"
    if mode == "channel" and x.rank < 2:
        return f"X is {x}: it has no channels"
    return None


def _prelu(b: Builder, op: BridgeOp, x: Tensor, slope: Tensor) -> Tensor:
    """prelu → PRelu with one slope, or one per channel; with one per element of a sample, a product."""
    mode = op.text("mode")
    if mode == "all":
        return b.op.prelu(x, b.reshape(slope, [1]))
    last = is_channel_last(op.text("data_format"))
    if mode == "channel" and not last:
        return b.op.prelu(x, b.reshape(slope, [-1]))
    shape = [-1] if mode == "channel" else [1, *(int(dim) for dim in op["X"].dims[1:])]
    negative = b.op.multiply(x, b.reshape(slope, shape))
    return b.op.select(b.op.less(x, b.like(0, x)), negative, x)


for _name in _FUNCTIONS:
    bridge("openvino", _name)(Row("X", _activation, check=_why_not_parameters))
bridge("openvino", "shrink")(Row("X", lambda b, op, x: _shrink(b, x, op.real("lambd"), op.real("bias"))))
bridge("openvino", "prelu")(Row("X Alpha", _prelu, one_type=True, check=_why_not_prelu))
