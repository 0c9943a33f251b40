"""Elementwise functions of one tensor → Abs, Exp, Log, Sqrt, Floor, … (ONNX opset 21)."""

from __future__ import annotations

import math
from collections.abc import Callable

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, Convert, converts
from lite.emission.onnx.builder import Builder, Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

Function = Callable[[Builder, Tensor], Tensor]

_PLAIN = {
    "abs": "Abs",
    "acos": "Acos",
    "acosh": "Acosh",
    "asin": "Asin",
    "asinh": "Asinh",
    "assign": "Identity",
    "atan": "Atan",
    "atanh": "Atanh",
    "bitwise_not": "BitwiseNot",
    "cos": "Cos",
    "cosh": "Cosh",
    "erf": "Erf",
    "exp": "Exp",
    "log": "Log",
    "logical_not": "Not",
    "negative": "Neg",
    "reciprocal": "Reciprocal",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "sqrt": "Sqrt",
    "tan": "Tan",
}


def _plain(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.add(op_type, ctx.input(op, "X")))

    return convert


for _name, _op_type in _PLAIN.items():
    converts(_name)(_plain(_op_type))


def _log(b: Builder, x: Tensor, base: float) -> Tensor:
    return b.add("Mul", b.add("Log", x), b.scalar(1 / math.log(base), x.dtype))


def _in_float64(b: Builder, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Computed in float64: in float32, adding or subtracting 1 would lose a small x."""
    return b.cast(function(b.cast(x, DType.FLOAT64)), x.dtype)


def _trunc(b: Builder, x: Tensor) -> Tensor:
    return b.add("Mul", b.add("Sign", x), b.add("Floor", b.add("Abs", x)))


def _round(b: Builder, x: Tensor) -> Tensor:
    """Halves away from zero.  Adding a half first would round the number just below 0.5 to 1."""
    whole = _trunc(b, x)
    fraction = b.add("Abs", b.add("Sub", x, whole))
    rounds_up = b.add("GreaterOrEqual", fraction, b.scalar(0.5, x.dtype), dtype=DType.BOOL)
    return b.add("Add", whole, b.add("Mul", b.add("Sign", x), b.cast(rounds_up, x.dtype)))


_COMPOSED: dict[str, Function] = {
    "expm1": lambda b, x: _in_float64(b, x, lambda y: b.add("Sub", b.add("Exp", y), b.scalar(1.0, y.dtype))),
    "log1p": lambda b, x: _in_float64(b, x, lambda y: b.add("Log", b.add("Add", y, b.scalar(1.0, y.dtype)))),
    "log10": lambda b, x: _log(b, x, 10),
    "log2": lambda b, x: _log(b, x, 2),
    "rsqrt": lambda b, x: b.add("Reciprocal", b.add("Sqrt", x)),
    "square": lambda b, x: b.add("Mul", x, x),
}

_ROUNDING: dict[str, Function] = {
    "ceil": lambda b, x: b.add("Ceil", x),
    "floor": lambda b, x: b.add("Floor", x),
    "rint": lambda b, x: b.add("Round", x),
    "round": _round,
    "trunc": _trunc,
}


def _composed(function: Function) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, function(ctx.builder, ctx.input(op, "X")))

    return convert


def _rounded(function: Function) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x = ctx.input(op, "X")
        ctx.output(op, ctx.builder.add("Identity", x) if x.dtype.is_integer else function(ctx.builder, x))

    return convert


for _name, _function in _COMPOSED.items():
    converts(_name)(_composed(_function))


for _name, _function in _ROUNDING.items():
    converts(_name)(_rounded(_function))


@converts("isnan_v2")
def isnan(op: BridgeOp, ctx: Context) -> None:
    """isnan_v2 → IsNaN of real numbers."""
    _output_test(op, ctx, "IsNaN")


@converts("isinf_v2")
def isinf(op: BridgeOp, ctx: Context) -> None:
    """isinf_v2 → IsInf of real numbers."""
    _output_test(op, ctx, "IsInf")


@converts("isfinite_v2")
def isfinite(op: BridgeOp, ctx: Context) -> None:
    """isfinite_v2 → Not(IsNaN or IsInf) of real numbers."""
    x, b = ctx.input(op, "X"), ctx.builder
    _check_float(op)
    tests = [b.add(name, x, dtype=DType.BOOL) for name in ("IsNaN", "IsInf")]
    ctx.output(op, b.add("Not", b.add("Or", *tests)))


def _output_test(op: BridgeOp, ctx: Context, op_type: str) -> None:
    _check_float(op)
    ctx.output(op, ctx.builder.add(op_type, ctx.input(op, "X"), dtype=DType.BOOL))


def _check_float(op: BridgeOp) -> None:
    if not op["X"].dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")
