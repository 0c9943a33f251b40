"""Activations → relu, sigmoid, gelu, prelu, silu, … and combinations of elementwise operations.

float32, with finite parameters.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.ops import SCHEMAS, Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp

Function = Callable[..., Tensor]
"""Adds an activation, from the builder, a tensor and the attributes in the order of the op's schema."""

_DEFAULT_THRESHOLD = 15.0
"""Softplus equals its argument in float32 from here on."""


def times(b: Builder, x: Tensor, number: float) -> Tensor:
    """x · number."""
    return x if number == 1 else b.add("mul", x=x, y=b.like(number, x))


def plus(b: Builder, x: Tensor, number: float) -> Tensor:
    """x + number."""
    return x if number == 0 else b.add("add", x=x, y=b.like(number, x))


def limited(b: Builder, x: Tensor, low: float, high: float) -> Tensor:
    """min(max(x, low), high) for bounds in order."""
    if (low, high) == (0.0, math.inf):
        return b.add("relu", x=x)
    if (low, high) == (0.0, 6.0):
        return b.add("relu6", x=x)
    if low > -math.inf:
        x = b.add("maximum", x=x, y=b.like(low, x))
    return b.add("minimum", x=x, y=b.like(high, x)) if high < math.inf else x


def _above(b: Builder, x: Tensor, limit: float, above: Tensor, below: Tensor) -> Tensor:
    """`above` where x is greater than the limit, else `below`."""
    condition = b.add("greater", x=x, y=b.like(limit, x))
    return b.add("select", cond=condition, a=above, b=below)


def _zeros(b: Builder, x: Tensor) -> Tensor:
    return b.add("sub", x=x, y=x)


def _elu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    if alpha > 0:
        return b.add("elu", x=x, alpha=b.like(alpha, x))
    negative = b.add("elu", x=b.add("minimum", x=x, y=b.like(0, x)), alpha=b.like(1, x))
    return b.add("add", x=b.add("relu", x=x), y=times(b, negative, alpha))


def _celu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    return times(b, _elu(b, times(b, x, 1 / alpha), 1.0), alpha)


def _hard_swish(b: Builder, x: Tensor, threshold: float, scale: float, offset: float) -> Tensor:
    gate = limited(b, plus(b, x, offset), 0.0, threshold)
    return times(b, b.add("mul", x=x, y=gate), 1 / scale)


def _hard_sigmoid(b: Builder, x: Tensor, slope: float, offset: float) -> Tensor:
    return b.add("sigmoid_hard", x=x, alpha=b.like(slope, x), beta=b.like(offset, x))


def _softplus(b: Builder, x: Tensor, beta: float = 1.0, threshold: float = math.inf) -> Tensor:
    scaled = times(b, x, beta)
    result = times(b, b.add("softplus", x=scaled), 1 / beta)
    return result if threshold >= _DEFAULT_THRESHOLD else _above(b, scaled, threshold, x, result)


def _mish(b: Builder, x: Tensor, threshold: float) -> Tensor:
    return b.add("mul", x=x, y=b.add("tanh", x=_softplus(b, x, 1.0, threshold)))


def _swish(b: Builder, x: Tensor, beta: float) -> Tensor:
    if beta == 1:
        return b.add("silu", x=x)
    return b.add("mul", x=x, y=b.add("sigmoid", x=times(b, x, beta)))


def _gelu(b: Builder, x: Tensor, approximate: float) -> Tensor:
    return b.add("gelu", x=x, mode="TANH_APPROXIMATION" if approximate else "EXACT")


def _clamped(name: str, b: Builder, x: Tensor, *numbers: float) -> Tensor:
    """Any activation of straight lines, without the steps that change nothing."""
    line = (clamp_of(name, SCHEMAS[name].from_numbers(numbers)) or Clamp()).folded()
    y = limited(b, plus(b, times(b, x, line.slope), line.offset), line.low, line.high)
    return b.add("mul", x=x, y=y) if line.gated else y


_FUNCTIONS: dict[str, Function] = {
    "celu": _celu,
    "elu": _elu,
    "gelu": _gelu,
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _hard_swish,
    "leaky_relu": lambda b, x, alpha: b.add("leaky_relu", x=x, alpha=b.like(alpha, x)),
    "logsigmoid": lambda b, x: times(b, b.add("softplus", x=times(b, x, -1)), -1),
    "mish": _mish,
    "relu": lambda b, x: b.add("relu", x=x),
    "selu": lambda b, x, scale, alpha: times(b, _elu(b, x, alpha), scale),
    "sigmoid": lambda b, x: b.add("sigmoid", x=x),
    "softplus": _softplus,
    "softsign": lambda b, x: b.add("softsign", x=x),
    "swish": _swish,
    "tanh": lambda b, x: b.add("tanh", x=x),
    "thresholded_relu": lambda b, x, threshold: _above(b, x, threshold, x, _zeros(b, x)),
}
_FUNCTIONS |= {
    name: functools.partial(_clamped, name) for name in sorted(ops_with(Trait.CLAMP) - _FUNCTIONS.keys())
}

_PARAMETERS = {name: tuple(SCHEMAS[name].attrs) for name in _FUNCTIONS}
"""The attributes of each activation, in the order of its function's parameters."""


def activated(b: Builder, name: str, x: Tensor, params: Sequence[float] = ()) -> Tensor:
    """`x` after a fused activation, none where `name` is empty; declines one without a conversion."""
    if not name:
        return x
    if name not in _FUNCTIONS:
        raise Declined(f"its fused activation is {name!r}, expected one of {', '.join(_FUNCTIONS)}")
    attrs = SCHEMAS[name].attrs
    values = [params[n] if n < len(params) else attrs[key].default for n, key in enumerate(_PARAMETERS[name])]
    return _FUNCTIONS[name](b, x, *values)


def _activation(op: BridgeOp, ctx: Context) -> None:
    numbers = [op.real(name) for name in _PARAMETERS[op.op]]
    for name, number in zip(_PARAMETERS[op.op], numbers, strict=True):
        if not math.isfinite(number):
            raise Declined(f"{name} is {number}, expected a finite number")
    clamp = clamp_of(op.op, op.node.attrs)
    if clamp is not None and not clamp.low <= clamp.high:
        raise Declined(f"its bounds are {clamp.low} and {clamp.high}, expected them in order")
    ctx.output(op, _FUNCTIONS[op.op](ctx.builder, ctx.input(op, "X"), *numbers))


def _prelu(op: BridgeOp, ctx: Context) -> None:
    """max(x, 0) + slope · min(x, 0): one slope, one for each channel, or one for each element of a sample."""
    b, x, slopes = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Alpha")
    shape, mode = sizes(op["X"]), op.text("mode")
    if mode == "channel" and len(shape) > 1:
        last = is_channel_last(op.text("data_format"))
        target = (1,) * (len(shape) - 1) + shape[-1:] if last else (1, shape[1], *[1] * (len(shape) - 2))
    elif mode == "element" and shape:
        target = (1, *shape[1:])
    else:
        target = (1,) * len(shape)
    if math.prod(target) != math.prod(b.shape(slopes)):
        raise Declined(f"Alpha is {op['Alpha']}, expected {math.prod(target)} slopes")
    negative = b.add("mul", x=b.add("minimum", x=x, y=np.float32(0)), y=b.reshape(slopes, target))
    ctx.output(op, b.add("add", x=b.add("relu", x=x), y=negative))


def _shrink(op: BridgeOp, ctx: Context) -> None:
    """x − bias above lambd, x + bias below −lambd, 0 between."""
    b, x = ctx.builder, ctx.input(op, "X")
    limit, bias = op.real("lambd"), op.real("bias")
    above = _above(b, x, limit, plus(b, x, -bias), _zeros(b, x))
    ctx.output(op, _above(b, times(b, x, -1), limit, plus(b, x, bias), above))


register(__name__, {**dict.fromkeys(_FUNCTIONS, _activation), "prelu": _prelu, "shrink": _shrink})
