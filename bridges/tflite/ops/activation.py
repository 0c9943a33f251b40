"""Activations → RELU, LOGISTIC, GELU, PRELU, … and combinations of elementwise operators; float32."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor
from lite.ir.types import DType
from lite.ops import SCHEMAS, Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp

Function = Callable[..., Tensor]
"""Adds an activation; takes the builder, a tensor and the attributes in the order of the op's schema."""

_DEFAULT_THRESHOLD = 15.0
"""For this and larger arguments, softplus in float32 returns its argument."""

_LIMITS = {(0.0, math.inf): "RELU", (0.0, 6.0): "RELU6", (-1.0, 1.0): "RELU_N1_TO_1"}
"""Lower and upper bounds of a clamp that TFLite has an operator for."""


def limited(b: Builder, x: Tensor, low: float, high: float) -> Tensor:
    """min(max(x, low), high), for low <= high."""
    if (low, high) in _LIMITS:
        return b.unary(_LIMITS[low, high], x)
    if low > -math.inf:
        x = b.binary("MAXIMUM", x, b.like(low, x))
    return b.binary("MINIMUM", x, b.like(high, x)) if high < math.inf else x


def _times(b: Builder, x: Tensor, number: float) -> Tensor:
    return x if number == 1 else b.binary("MUL", x, b.like(number, x))


def _plus(b: Builder, x: Tensor, number: float) -> Tensor:
    return x if number == 0 else b.binary("ADD", x, b.like(number, x))


def _positive(b: Builder, x: Tensor, limit: float, above: Tensor, below: Tensor) -> Tensor:
    """`above` where x is greater than the limit, else `below`."""
    condition = b.binary("GREATER", x, b.like(limit, x), DType.BOOL)
    return b.elementwise("SELECT_V2", [condition, above, below], x.dtype)


def _elu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    """max(x, 0) + alpha · (exp(min(x, 0)) − 1), from ELU, which has alpha 1."""
    if alpha == 1:
        return b.unary("ELU", x)
    negative = b.unary("ELU", b.binary("MINIMUM", x, b.like(0, x)))
    return b.binary("ADD", b.unary("RELU", x), _times(b, negative, alpha))


def _celu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    return _times(b, b.unary("ELU", _times(b, x, 1 / alpha)), alpha)


def _selu(b: Builder, x: Tensor, scale: float, alpha: float) -> Tensor:
    return _times(b, _elu(b, x, alpha), scale)


def _hard_swish(b: Builder, x: Tensor, threshold: float, scale: float, offset: float) -> Tensor:
    if (threshold, scale, offset) == (6.0, 6.0, 3.0):
        return b.unary("HARD_SWISH", x)
    gate = limited(b, _plus(b, x, offset), 0.0, threshold)
    return _times(b, b.binary("MUL", x, gate), 1 / scale)


def softplus(b: Builder, x: Tensor, beta: float = 1.0, threshold: float = math.inf) -> Tensor:
    """log(1 + exp(beta · x)) / beta, and x where beta · x is above the threshold.

    With s = beta · x, the logarithm is max(s, 0) + log(1 + exp(−|s|)), so that exp does not overflow.
    """
    scaled = _times(b, x, beta)
    decayed = b.unary("EXP", b.unary("NEG", b.unary("ABS", scaled)))
    result = b.binary("ADD", b.unary("RELU", scaled), b.unary("LOG", _plus(b, decayed, 1)))
    result = _times(b, result, 1 / beta)
    return result if threshold >= _DEFAULT_THRESHOLD else _positive(b, scaled, threshold, x, result)


def _mish(b: Builder, x: Tensor, threshold: float) -> Tensor:
    return b.binary("MUL", x, b.unary("TANH", softplus(b, x, 1.0, threshold)))


def _swish(b: Builder, x: Tensor, beta: float) -> Tensor:
    return b.binary("MUL", x, b.unary("LOGISTIC", _times(b, x, beta)))


def _softsign(b: Builder, x: Tensor) -> Tensor:
    return b.binary("DIV", x, _plus(b, b.unary("ABS", x), 1))


def _thresholded_relu(b: Builder, x: Tensor, threshold: float) -> Tensor:
    return _positive(b, x, threshold, x, b.like(0, x))


def _clamped(name: str, b: Builder, x: Tensor, *numbers: float) -> Tensor:
    """A piecewise linear activation as MUL, ADD and clamp; steps that change nothing are left out."""
    line = (clamp_of(name, SCHEMAS[name].from_numbers(numbers)) or Clamp()).folded()
    y = limited(b, _plus(b, _times(b, x, line.slope), line.offset), line.low, line.high)
    return b.binary("MUL", x, y) if line.gated else y


_FUNCTIONS: dict[str, Function] = {
    "celu": _celu,
    "elu": _elu,
    "gelu": lambda b, x, approximate: b.unary("GELU", x, approximate=bool(approximate)),
    "hard_swish": _hard_swish,
    "leaky_relu": lambda b, x, alpha: b.unary("LEAKY_RELU", x, alpha=alpha),
    "logsigmoid": lambda b, x: b.unary("NEG", softplus(b, b.unary("NEG", x))),
    "mish": _mish,
    "relu": lambda b, x: b.unary("RELU", x),
    "selu": _selu,
    "sigmoid": lambda b, x: b.unary("LOGISTIC", x),
    "softplus": softplus,
    "softsign": _softsign,
    "swish": _swish,
    "tanh": lambda b, x: b.unary("TANH", x),
    "thresholded_relu": _thresholded_relu,
}
_FUNCTIONS |= {
    name: functools.partial(_clamped, name) for name in sorted(ops_with(Trait.CLAMP) - _FUNCTIONS.keys())
}

_PARAMETERS = {name: tuple(SCHEMAS[name].attrs) for name in _FUNCTIONS}
"""The attributes of each activation, in the order of its function's parameters."""


def activated(b: Builder, name: str, x: Tensor, params: Sequence[float] = ()) -> Tensor:
    """`x` after a fused activation; an empty `name` means none.

    Raises `Declined` for an activation without a conversion.
    """
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
        raise Declined(f"its bounds are {clamp.low} and {clamp.high}, expected the lower bound first")
    ctx.output(op, _FUNCTIONS[op.op](ctx.builder, ctx.input(op, "X"), *numbers))


def _prelu(op: BridgeOp, ctx: Context) -> None:
    """prelu → PRELU, with one slope, one for each channel, or one for each element of a sample."""
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
    ctx.output(op, b.binary("PRELU", x, b.reshape(slopes, target)))


def _shrink(op: BridgeOp, ctx: Context) -> None:
    """shrink → x − bias above lambd, x + bias below −lambd, 0 between."""
    b, x = ctx.builder, ctx.input(op, "X")
    limit, bias = op.real("lambd"), op.real("bias")
    above = _positive(b, x, limit, _plus(b, x, -bias), b.like(0, x))
    negative = b.unary("NEG", x)
    ctx.output(op, _positive(b, negative, limit, _plus(b, x, bias), above))


register(
    __name__,
    {
        **dict.fromkeys(_FUNCTIONS, _activation),
        "prelu": _prelu,
        "shrink": _shrink,
    },
)
