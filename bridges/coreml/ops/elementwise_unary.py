"""Functions of one tensor, scale, pow, clip, dropout, cast → abs, exp, log, mul, cast, …

float32; cast takes int32, int64 and bool as well.
"""

from __future__ import annotations

import math

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.bridges.coreml.ops.activation import activated, limited, plus, times
from lite.emission.conversion import Declined
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_OPERATIONS = {
    "abs": "abs",
    "acos": "acos",
    "asin": "asin",
    "atan": "atan",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "exp": "exp",
    "floor": "floor",
    "rint": "round",
    "sign": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
}

_LOGS = {"log": 1.0, "log10": 1 / math.log(10), "log2": 1 / math.log(2)}
"""The factor of the natural logarithm."""


def _require_float(op: BridgeOp) -> None:
    if op["X"].dtype is not DType.FLOAT32:
        raise Declined(f"X is {op['X']}, expected float32")


def _unary(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    ctx.output(op, ctx.builder.add(_OPERATIONS[op.op], x=ctx.input(op, "X")))


def _log(op: BridgeOp, ctx: Context) -> None:
    """MIL's log adds an epsilon, which is set to 0 here."""
    _require_float(op)
    b = ctx.builder
    ctx.output(op, times(b, b.add("log", x=ctx.input(op, "X"), epsilon=0.0), _LOGS[op.op]))


def _reciprocal(b: Builder, x: Tensor) -> Tensor:
    return b.add("real_div", x=b.like(1, x), y=x)


def _inverse(op: BridgeOp, ctx: Context) -> None:
    """reciprocal, rsqrt → real_div: MIL's inverse and rsqrt add an epsilon."""
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    ctx.output(op, _reciprocal(b, b.add("sqrt", x=x) if op.op == "rsqrt" else x))


def _negative(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    ctx.output(op, times(ctx.builder, ctx.input(op, "X"), -1))


def _logical_not(op: BridgeOp, ctx: Context) -> None:
    if op["X"].dtype is not DType.BOOL:
        raise Declined(f"X is {op['X']}; MIL's logic takes bool")
    ctx.output(op, ctx.builder.add("logical_not", x=ctx.input(op, "X")))


def _scale(op: BridgeOp, ctx: Context) -> None:
    """scale → mul and add, without those that change nothing."""
    _require_float(op)
    b, x, tensor = ctx.builder, ctx.input(op, "X"), ctx.optional(op, "ScaleTensor")
    if op.real("bias") and not op.flag("bias_after_scale"):
        x = plus(b, x, op.real("bias"))
    if tensor is None:
        x = times(b, x, op.real("scale"))
    else:
        x = b.add("mul", x=x, y=b.cast(b.reshape(tensor, (1,)), DType.FLOAT32))
    if op.flag("bias_after_scale"):
        x = plus(b, x, op.real("bias"))
    x = activated(b, op.text("activation"), x, op.reals("activation_params"))
    ctx.output(op, plus(b, times(b, x, op.real("scale1")), op.real("bias1")))


def _pow(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x, factor = ctx.builder, ctx.input(op, "X"), ctx.optional(op, "FactorTensor")
    exponent = b.like(op.real("factor"), x)
    if factor is not None:
        exponent = b.cast(b.reshape(factor, (1,)), DType.FLOAT32)
    ctx.output(op, b.add("pow", x=x, y=exponent))


def _clip(op: BridgeOp, ctx: Context) -> None:
    """clip → maximum, then minimum."""
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    low, high = op.real("min"), op.real("max")
    if ctx.optional(op, "Min") is None and ctx.optional(op, "Max") is None and low <= high:
        ctx.output(op, limited(b, x, low, high))
        return
    for operation, slot, number in (("maximum", "Min", low), ("minimum", "Max", high)):
        bound = ctx.optional(op, slot)
        limit = b.like(number, x) if bound is None else b.cast(b.reshape(bound, (1,)), DType.FLOAT32)
        x = b.add(operation, x=x, y=limit)
    ctx.output(op, x)


def _dropout(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    kept = 1.0 if op.text("dropout_implementation") == "upscale_in_train" else 1 - op.real("dropout_prob")
    ctx.output(op, times(ctx.builder, ctx.input(op, "X"), kept))


def _cast(op: BridgeOp, ctx: Context) -> None:
    x, dtype = op["X"].dtype, op.output().dtype
    if x.is_float and dtype.is_integer:
        raise Declined(f"from {x} to {dtype}; Core ML's result for numbers beyond int32 is not defined")
    ctx.output(op, ctx.builder.cast(ctx.input(op, "X"), dtype))


register(
    __name__,
    {
        **dict.fromkeys(_OPERATIONS, _unary),
        **dict.fromkeys(_LOGS, _log),
        "cast": _cast,
        "clip": _clip,
        "dropout": _dropout,
        "logical_not": _logical_not,
        "negative": _negative,
        "pow": _pow,
        "reciprocal": _inverse,
        "rsqrt": _inverse,
        "scale": _scale,
    },
)
