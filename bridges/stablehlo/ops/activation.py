"""Activations → maximum, minimum, logistic, tanh, exponential_minus_one, select, …

Real numbers, with finite parameters.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ops import SCHEMAS, Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp

Function = Callable[..., Tensor]
"""Adds an activation, from the builder, a tensor and the attributes in the order of the op's schema."""

_LINEAR_FROM = 15.0
"""Softplus equals its argument in float32 from here on."""


def times(b: Builder, x: Tensor, number: float) -> Tensor:
    """x · number."""
    return x if number == 1 else b.binary("multiply", x, b.like(number, x))


def plus(b: Builder, x: Tensor, number: float) -> Tensor:
    """x + number."""
    return x if number == 0 else b.binary("add", x, b.like(number, x))


def limited(b: Builder, x: Tensor, low: float, high: float) -> Tensor:
    """min(max(x, low), high)."""
    if low > -math.inf:
        x = b.binary("maximum", x, b.like(low, x))
    return b.binary("minimum", x, b.like(high, x)) if high < math.inf else x


def _chosen(b: Builder, x: Tensor, limit: float, above: Tensor, below: Tensor) -> Tensor:
    """`above` where x is greater than the limit, else `below`."""
    return b.select(b.compare("GT", x, b.like(limit, x)), above, below)


def _elu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    negative = b.unary("exponential_minus_one", limited(b, x, -math.inf, 0.0))
    return _chosen(b, x, 0.0, x, times(b, negative, alpha))


def _celu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    negative = b.unary("exponential_minus_one", times(b, x, 1 / alpha))
    return b.binary(
        "add", limited(b, x, 0.0, math.inf), limited(b, times(b, negative, alpha), -math.inf, 0.0)
    )


def _gelu(b: Builder, x: Tensor, approximate: float) -> Tensor:
    if approximate:
        cubed = b.binary("multiply", b.binary("multiply", x, x), x)
        inner = b.binary("add", x, times(b, cubed, 0.044715))
        share = b.unary("tanh", times(b, inner, math.sqrt(2 / math.pi)))
    else:
        share = b.unary("chlo.erf", times(b, x, math.sqrt(0.5)))
    return b.binary("multiply", times(b, x, 0.5), plus(b, share, 1))


def _hard_swish(b: Builder, x: Tensor, threshold: float, scale: float, offset: float) -> Tensor:
    gate = limited(b, plus(b, x, offset), 0.0, threshold)
    return times(b, b.binary("multiply", x, gate), 1 / scale)


def _softplus(b: Builder, x: Tensor, beta: float = 1.0, threshold: float = math.inf) -> Tensor:
    """log(1 + exp(beta · x)) / beta as max(x, 0) + log(1 + exp(−|x|)), and x above the threshold."""
    scaled = times(b, x, beta)
    decayed = b.unary("exponential", b.unary("negate", b.unary("abs", scaled)))
    result = b.binary("add", limited(b, scaled, 0.0, math.inf), b.unary("log_plus_one", decayed))
    result = times(b, result, 1 / beta)
    return result if threshold >= _LINEAR_FROM else _chosen(b, scaled, threshold, x, result)


def _mish(b: Builder, x: Tensor, threshold: float) -> Tensor:
    return b.binary("multiply", x, b.unary("tanh", _softplus(b, x, 1.0, threshold)))


def _swish(b: Builder, x: Tensor, beta: float) -> Tensor:
    return b.binary("multiply", x, b.unary("logistic", times(b, x, beta)))


def _clamped(name: str, b: Builder, x: Tensor, *numbers: float) -> Tensor:
    """Any activation of straight lines, without the steps that change nothing."""
    line = (clamp_of(name, SCHEMAS[name].from_numbers(numbers)) or Clamp()).folded()
    y = limited(b, plus(b, times(b, x, line.slope), line.offset), line.low, line.high)
    return b.binary("multiply", x, y) if line.gated else y


_FUNCTIONS: dict[str, Function] = {
    "celu": _celu,
    "elu": _elu,
    "gelu": _gelu,
    "hard_swish": _hard_swish,
    "leaky_relu": lambda b, x, alpha: b.select(b.compare("GE", x, b.like(0, x)), x, times(b, x, alpha)),
    "logsigmoid": lambda b, x: b.unary("negate", _softplus(b, b.unary("negate", x))),
    "mish": _mish,
    "selu": lambda b, x, scale, alpha: times(b, _elu(b, x, alpha), scale),
    "sigmoid": lambda b, x: b.unary("logistic", x),
    "softplus": _softplus,
    "softsign": lambda b, x: b.binary("divide", x, plus(b, b.unary("abs", x), 1)),
    "swish": _swish,
    "tanh": lambda b, x: b.unary("tanh", x),
    "thresholded_relu": lambda b, x, threshold: _chosen(b, x, threshold, x, b.like(0, x)),
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
    x, numbers = ctx.input(op, "X"), [op.real(name) for name in _PARAMETERS[op.op]]
    for name, number in zip(_PARAMETERS[op.op], numbers, strict=True):
        if not math.isfinite(number):
            raise Declined(f"{name} is {number}, expected a finite number")
    clamp = clamp_of(op.op, op.node.attrs)
    if clamp is not None and not clamp.low <= clamp.high:
        raise Declined(f"its bounds are {clamp.low} and {clamp.high}, expected them in order")
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")
    ctx.output(op, _FUNCTIONS[op.op](ctx.builder, x, *numbers))


def _prelu(op: BridgeOp, ctx: Context) -> None:
    """x, or slope · x below 0: one slope, one for each channel, or one for each element of a sample."""
    b, x, slopes = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Alpha")
    shape, mode = sizes(op["X"]), op.text("mode")
    if mode == "channel" and len(shape) > 1:
        last = is_channel_last(op.text("data_format"))
        target = (1,) * (len(shape) - 1) + shape[-1:] if last else (1, shape[1], *[1] * (len(shape) - 2))
    elif mode == "element" and shape:
        target = (1, *shape[1:])
    else:
        target = (1,) * len(shape)
    if math.prod(target) != math.prod(slopes.shape):
        raise Declined(f"Alpha is {op['Alpha']}, expected {math.prod(target)} slopes")
    scaled = b.binary("multiply", x, b.reshape(slopes, target))
    ctx.output(op, _chosen(b, x, 0.0, x, scaled))


def _shrink(op: BridgeOp, ctx: Context) -> None:
    """x − bias above lambd, x + bias below −lambd, 0 between."""
    b, x = ctx.builder, ctx.input(op, "X")
    limit, bias = op.real("lambd"), op.real("bias")
    above = _chosen(b, x, limit, plus(b, x, -bias), b.like(0, x))
    ctx.output(op, _chosen(b, b.unary("negate", x), limit, plus(b, x, bias), above))


register(__name__, {**dict.fromkeys(_FUNCTIONS, _activation), "prelu": _prelu, "shrink": _shrink})
