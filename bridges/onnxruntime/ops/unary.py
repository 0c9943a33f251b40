"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, Convert, converts
from lite.bridges.onnxruntime.builder import ONNX_CODES, Builder, Tensor
from lite.errors import CompileError
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

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


def _scaled_log(base: float) -> Callable[[Builder, Tensor], Tensor]:
    def made(b: Builder, x: Tensor) -> Tensor:
        return b.add("Mul", b.add("Log", x), b.scalar(1 / math.log(base), x.dtype))

    return made


def _wide(b: Builder, x: Tensor, made: Callable[[Tensor], Tensor]) -> Tensor:
    """In float64: near 0 the one that is added or taken off would hide all of a float32."""
    return b.cast(made(b.cast(x, DType.FLOAT64)), x.dtype)


def _trunc(b: Builder, x: Tensor) -> Tensor:
    return b.add("Mul", b.add("Sign", x), b.add("Floor", b.add("Abs", x)))


def _round(b: Builder, x: Tensor) -> Tensor:
    """Halves go away from zero.  A half is not added first: below a half that would round up to one."""
    whole = _trunc(b, x)
    rest = b.add("Abs", b.add("Sub", x, whole))
    is_half = b.add("GreaterOrEqual", rest, b.scalar(0.5, x.dtype), dtype=DType.BOOL)
    return b.add("Add", whole, b.add("Mul", b.add("Sign", x), b.cast(is_half, x.dtype)))


_COMPOSED: dict[str, Callable[[Builder, Tensor], Tensor]] = {
    "expm1": lambda b, x: _wide(b, x, lambda y: b.add("Sub", b.add("Exp", y), b.scalar(1.0, y.dtype))),
    "log1p": lambda b, x: _wide(b, x, lambda y: b.add("Log", b.add("Add", y, b.scalar(1.0, y.dtype)))),
    "log10": _scaled_log(10),
    "log2": _scaled_log(2),
    "rsqrt": lambda b, x: b.add("Reciprocal", b.add("Sqrt", x)),
    "square": lambda b, x: b.add("Mul", x, x),
}

_ROUNDING: dict[str, Callable[[Builder, Tensor], Tensor]] = {
    "ceil": lambda b, x: b.add("Ceil", x),
    "floor": lambda b, x: b.add("Floor", x),
    "rint": lambda b, x: b.add("Round", x),
    "round": _round,
    "trunc": _trunc,
}


Made = Callable[[Builder, Tensor], Tensor]


def _composed(made: Made) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, made(ctx.builder, ctx.input(op, "X")))

    return convert


def _rounded(made: Made) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x = ctx.input(op, "X")
        ctx.output(op, ctx.builder.add("Identity", x) if x.dtype.is_integer else made(ctx.builder, x))

    return convert


for _name, _made in _COMPOSED.items():
    converts(_name)(_composed(_made))

for _name, _made in _ROUNDING.items():
    converts(_name)(_rounded(_made))


@converts("isnan_v2")
def isnan(op: BridgeOp, ctx: Context) -> None:
    """IsNaN; no whole number is one."""
    _asked(op, ctx, "IsNaN")


@converts("isinf_v2")
def isinf(op: BridgeOp, ctx: Context) -> None:
    """IsInf; no whole number is one."""
    _asked(op, ctx, "IsInf")


@converts("isfinite_v2")
def isfinite(op: BridgeOp, ctx: Context) -> None:
    """Neither IsNaN nor IsInf."""
    x, b = ctx.input(op, "X"), ctx.builder
    _check_float(x)
    found = [b.add(name, x, dtype=DType.BOOL) for name in ("IsNaN", "IsInf")]
    ctx.output(op, b.add("Not", b.add("Or", *found)))


def _asked(op: BridgeOp, ctx: Context, op_type: str) -> None:
    x = ctx.input(op, "X")
    _check_float(x)
    ctx.output(op, ctx.builder.add(op_type, x, dtype=DType.BOOL))


def _check_float(x: Tensor) -> None:
    if not x.dtype.is_float:
        raise CompileError(f"X must be floating point, got {x.dtype}")


@converts("cast")
def cast(op: BridgeOp, ctx: Context) -> None:
    """Cast."""
    x, wanted = ctx.input(op, "X"), DType.from_code(op.integer("out_dtype"))
    same = x.dtype is wanted
    if same:
        ctx.output(op, ctx.builder.add("Identity", x))
    elif wanted in (DType.FLOAT8_E4M3FN, DType.FLOAT8_E5M2):
        # What is beyond the range becomes NaN or infinite, not the greatest number.
        ctx.output(op, ctx.builder.add("Cast", x, dtype=wanted, to=ONNX_CODES[wanted], saturate=0))
    else:
        ctx.output(op, ctx.builder.cast(x, wanted))


@converts("scale")
def scale(op: BridgeOp, ctx: Context) -> None:
    """scale · X + bias, or scale · (X + bias)."""
    if op.text("activation") or op.real("scale1") != 1.0 or op.real("bias1"):
        raise CompileError("it is a fused scale, with an activation or a second scale")
    x, b = ctx.input(op, "X"), ctx.builder
    factor = ctx.optional(op, "ScaleTensor")
    number, bias = op.real("scale"), op.real("bias")
    if x.dtype.is_integer and (factor is not None or number % 1 or bias % 1):
        raise CompileError(f"X must be floating point where the numbers are, got {x.dtype}")
    first, second = (_multiplied, _added) if op.flag("bias_after_scale") else (_added, _multiplied)
    result = x
    for step in (first, second):
        if step is _added:
            result = _added(b, result, bias)
        elif factor is not None:
            result = b.add("Mul", result, b.reshape(b.cast(factor, x.dtype), *[1] * op["X"].rank))
        else:
            result = _multiplied(b, result, number)
    ctx.output(op, b.add("Identity", x) if result is x else result)


def _multiplied(b: Builder, x: Tensor, factor: float) -> Tensor:
    return x if factor == 1.0 else b.add("Mul", x, b.scalar(factor, x.dtype))


def _added(b: Builder, x: Tensor, term: float) -> Tensor:
    return x if term == 0.0 else b.add("Add", x, b.scalar(term, x.dtype))


@converts("increment")
def increment(op: BridgeOp, ctx: Context) -> None:
    """X + step."""
    x, b = ctx.input(op, "X"), ctx.builder
    ctx.output(op, b.add("Add", x, b.scalar(op.real("step"), x.dtype)))


@converts("pow")
def pow_(op: BridgeOp, ctx: Context) -> None:
    """Pow with one exponent."""
    x, b, factor = ctx.input(op, "X"), ctx.builder, ctx.optional(op, "FactorTensor")
    if x.dtype.is_integer:
        raise CompileError(f"X must be floating point, got {x.dtype}: powers of integers differ")
    if factor is None:
        exponent = b.scalar(op.real("factor"), x.dtype)
    else:
        exponent = b.reshape(b.cast(factor, x.dtype), *[1] * op["X"].rank)
    ctx.output(op, b.add("Pow", x, exponent))


@converts("clip")
def clip(op: BridgeOp, ctx: Context) -> None:
    """Clip; a bound may be an input."""
    x, b = ctx.input(op, "X"), ctx.builder
    bounds = []
    for slot, name in (("Min", "min"), ("Max", "max")):
        given = ctx.optional(op, slot)
        bounds.append(
            b.scalar(_bound(op.real(name), x.dtype), x.dtype)
            if given is None
            else b.add("Reshape", b.cast(given, x.dtype), b.ints())
        )
    ctx.output(op, b.add("Clip", x, *bounds))


def _bound(value: float, dtype: DType) -> float:
    """A bound within what the type can hold."""
    if not dtype.is_integer:
        return value
    info = np.iinfo(dtype.label)
    return int(min(max(value, info.min), info.max))


@converts("dropout")
def dropout(op: BridgeOp, ctx: Context) -> None:
    """At inference: nothing, or a product with what is kept."""
    x, b = ctx.input(op, "X"), ctx.builder
    if op.text("dropout_implementation") == "upscale_in_train":
        ctx.output(op, b.add("Identity", x))
    else:
        ctx.output(op, b.add("Mul", x, b.scalar(1 - op.real("dropout_prob"), x.dtype)))


@converts("shrink")
def shrink(op: BridgeOp, ctx: Context) -> None:
    """Shrink."""
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.add("Shrink", x, lambd=op.real("lambd"), bias=op.real("bias")))
