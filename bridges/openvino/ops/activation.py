"""Activations, alone and fused into another op."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.ops.schema import SCHEMAS
from lite.plugin.device import BridgeOp, bridge

Function = Callable[..., Tensor]
"""Makes an activation from the builder, a tensor, and the parameters in the order of `_PARAMETERS`."""

_DEFAULT_THRESHOLD = 15.0
"""From here on softplus and its argument are the same in float32."""


def _celu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    return b.op.multiply(b.op.elu(b.op.divide(x, b.like(alpha, x)), 1.0), b.like(alpha, x))


def _hard_swish(b: Builder, x: Tensor, threshold: float, scale: float, offset: float) -> Tensor:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return b.op.hswish(x)
    gate = b.op.clamp(b.op.add(x, b.like(offset, x)), 0.0, threshold)
    return b.op.divide(b.op.multiply(x, gate), b.like(scale, x))


def _hard_sigmoid(b: Builder, x: Tensor, slope: float, offset: float) -> Tensor:
    return b.op.hard_sigmoid(x, b.like(slope, x), b.like(offset, x))


def _softplus(b: Builder, x: Tensor, beta: float, threshold: float) -> Tensor:
    scaled = x if beta == 1 else b.op.multiply(x, b.like(beta, x))
    soft = b.op.softplus(scaled)
    if beta != 1:
        soft = b.op.divide(soft, b.like(beta, x))
    if threshold >= _DEFAULT_THRESHOLD:
        return soft
    return b.op.select(b.op.greater(scaled, b.like(threshold, x)), x, soft)


def _mish(b: Builder, x: Tensor, threshold: float) -> Tensor:
    if threshold >= _DEFAULT_THRESHOLD:
        return b.op.mish(x)
    return b.op.multiply(x, b.op.tanh(_softplus(b, x, 1.0, threshold)))


def _thresholded_relu(b: Builder, x: Tensor, threshold: float) -> Tensor:
    return b.op.select(b.op.greater(x, b.like(threshold, x)), x, b.like(0, x))


_FUNCTIONS: dict[str, Function] = {
    "celu": _celu,
    "elu": lambda b, x, alpha: (
        b.op.elu(x, alpha)
        if alpha >= 0
        else b.op.select(
            b.op.greater(x, b.like(0, x)), x, b.op.multiply(b.like(-alpha, x), b.op.elu(x, -1.0))
        )
    ),
    "gelu": lambda b, x, approximate: b.op.gelu(x, "tanh" if approximate else "erf"),
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _hard_swish,
    "leaky_relu": lambda b, x, alpha: b.op.prelu(x, b.like(alpha, x)),
    "logsigmoid": lambda b, x: b.op.negative(b.op.softplus(b.op.negative(x))),
    "mish": _mish,
    "relu": lambda b, x: b.op.relu(x),
    "relu6": lambda b, x, threshold: b.op.clamp(x, 0.0, threshold),
    "relu_clipped": lambda b, x, highest: b.op.clamp(x, 0.0, highest),
    "selu": lambda b, x, scale, alpha: b.op.selu(x, b.like(alpha, x), b.like(scale, x)),
    "sigmoid": lambda b, x: b.op.sigmoid(x),
    "silu": lambda b, x: b.op.swish(x, b.like(1, x)),
    "softplus": _softplus,
    "softsign": lambda b, x: b.op.softsign(x),
    "swish": lambda b, x, beta: b.op.swish(x, b.like(beta, x)),
    "tanh": lambda b, x: b.op.tanh(x),
    "thresholded_relu": _thresholded_relu,
}

_PARAMETERS = {name: tuple(SCHEMAS[name].attrs) for name in _FUNCTIONS}
"""The attributes that an activation's function takes, in its order."""


def activated(b: Builder, name: str, x: Tensor, params: Sequence[float] = ()) -> Tensor:
    """`x` behind a fused activation; none where `name` is empty, Paddle's defaults without `params`."""
    if not name:
        return x
    attrs = SCHEMAS[name].attrs
    values = [params[n] if n < len(params) else attrs[key].default for n, key in enumerate(_PARAMETERS[name])]
    return _FUNCTIONS[name](b, x, *values)


def unknown_activation(name: str) -> str | None:
    """Why an op with this fused activation cannot be taken, or None."""
    if name and name not in _FUNCTIONS:
        return f"no fused activation {name!r}; there are {', '.join(_FUNCTIONS)}"
    return None


def _why(op: BridgeOp) -> str | None:
    for name in _PARAMETERS[op.op]:
        value = op.real(name)
        if not math.isfinite(value):
            return f"{name} is {value}, expected a finite number"
    if op.op in ("relu6", "relu_clipped") and op.real(_PARAMETERS[op.op][0]) < 0:
        return f"the threshold is {op.real(_PARAMETERS[op.op][0])}, OpenVINO's clamp takes none below 0"
    return None


def _make(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return _FUNCTIONS[op.op](b, x, *(op.real(name) for name in _PARAMETERS[op.op]))


for _name in _FUNCTIONS:
    bridge("openvino", _name)(Row("X", _make, why=_why))
