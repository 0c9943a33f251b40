"""Functions of one tensor, scale, pow, clip, dropout, cast → abs, exponential, multiply, convert, …

Real numbers; cast takes all types, but no real numbers to integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from lite.bridges.stablehlo.ops.activation import activated, limited, plus, times
from lite.emission.conversion import Declined
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

Function = Callable[[Builder, Tensor], Tensor]


def _plain(name: str) -> Function:
    return lambda b, x: b.unary(name, x)


def _log_to(base: float) -> Function:
    return lambda b, x: times(b, b.unary("log", x), 1 / math.log(base))


_FUNCTIONS: dict[str, Function] = {
    "abs": _plain("abs"),
    "acos": _plain("chlo.acos"),
    "asin": _plain("chlo.asin"),
    "atan": _plain("chlo.atan"),
    "ceil": _plain("ceil"),
    "cos": _plain("cosine"),
    "cosh": _plain("chlo.cosh"),
    "erf": _plain("chlo.erf"),
    "exp": _plain("exponential"),
    "floor": _plain("floor"),
    "log": _plain("log"),
    "log10": _log_to(10),
    "log1p": _plain("log_plus_one"),
    "log2": _log_to(2),
    "negative": _plain("negate"),
    "reciprocal": lambda b, x: b.binary("divide", b.like(1, x), x),
    "rint": _plain("round_nearest_even"),
    "rsqrt": lambda b, x: b.binary("divide", b.like(1, x), b.unary("sqrt", x)),
    "sign": _plain("sign"),
    "sin": _plain("sine"),
    "sinh": _plain("chlo.sinh"),
    "sqrt": _plain("sqrt"),
    "square": lambda b, x: b.binary("multiply", x, x),
    "tan": _plain("tan"),
}


def _require_float(op: BridgeOp, x: Tensor) -> None:
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")


def _unary(op: BridgeOp, ctx: Context) -> None:
    x = ctx.input(op, "X")
    _require_float(op, x)
    ctx.output(op, _FUNCTIONS[op.op](ctx.builder, x))


def _logical_not(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    ctx.output(op, b.unary("not", b.cast(x, DType.BOOL)))


def _number(op: BridgeOp, ctx: Context, slot: str, attr: str, x: Tensor) -> Tensor:
    """The number in a slot that has one element, else in the attribute."""
    b, tensor = ctx.builder, ctx.optional(op, slot)
    return b.like(op.real(attr), x) if tensor is None else b.cast(b.reshape(tensor, ()), x.dtype)


def _scale(op: BridgeOp, ctx: Context) -> None:
    """scale → multiply and add, without those that change nothing."""
    b, x = ctx.builder, ctx.input(op, "X")
    _require_float(op, x)
    if not op.flag("bias_after_scale"):
        x = plus(b, x, op.real("bias"))
    if op.node.inputs.get("ScaleTensor"):
        x = b.binary("multiply", x, _number(op, ctx, "ScaleTensor", "scale", x))
    else:
        x = times(b, x, op.real("scale"))
    if op.flag("bias_after_scale"):
        x = plus(b, x, op.real("bias"))
    x = activated(b, op.text("activation"), x, op.reals("activation_params"))
    ctx.output(op, plus(b, times(b, x, op.real("scale1")), op.real("bias1")))


def _pow(op: BridgeOp, ctx: Context) -> None:
    x = ctx.input(op, "X")
    _require_float(op, x)
    ctx.output(op, ctx.builder.binary("power", x, _number(op, ctx, "FactorTensor", "factor", x)))


def _clip(op: BridgeOp, ctx: Context) -> None:
    """clip → maximum, then minimum, without an infinite bound."""
    b, x = ctx.builder, ctx.input(op, "X")
    _require_float(op, x)
    if op.node.inputs.get("Min") or op.node.inputs.get("Max"):
        x = b.binary("maximum", x, _number(op, ctx, "Min", "min", x))
        x = b.binary("minimum", x, _number(op, ctx, "Max", "max", x))
    else:
        x = limited(b, x, op.real("min"), op.real("max"))
    ctx.output(op, x)


def _dropout(op: BridgeOp, ctx: Context) -> None:
    kept = 1.0 if op.text("dropout_implementation") == "upscale_in_train" else 1 - op.real("dropout_prob")
    ctx.output(op, times(ctx.builder, ctx.input(op, "X"), kept))


def _cast(op: BridgeOp, ctx: Context) -> None:
    x, dtype = ctx.input(op, "X"), op.output().dtype
    if x.dtype.is_float and dtype.is_integer:
        raise Declined(f"from {x.dtype} to {dtype}; the result for numbers beyond {dtype} is not defined")
    ctx.output(op, ctx.builder.cast(x, dtype))


register(
    __name__,
    {
        **dict.fromkeys(_FUNCTIONS, _unary),
        "cast": _cast,
        "clip": _clip,
        "dropout": _dropout,
        "logical_not": _logical_not,
        "pow": _pow,
        "scale": _scale,
    },
)
