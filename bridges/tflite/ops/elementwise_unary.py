"""Functions of one tensor, scale, pow, clip, dropout, cast → ABS, EXP, MUL, CAST, …"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from lite.bridges.tflite.ops.activation import activated
from lite.emission.conversion import Declined
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor
from lite.plugin.device import BridgeOp

Function = Callable[[Builder, Tensor], Tensor]

_ERF_NUMERATOR = (
    *(-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05),
    *(-7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02),
)
_ERF_DENOMINATOR = (
    *(-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03),
    *(-7.37332916720468e-03, -1.42647390514189e-02),
)
"""Coefficients of a rational function of x², highest power first: x · P(x²) / Q(x²) is erf(x) to 4e-7 of it
for |x| ≤ 4, where erf is 1 in float32 (the approximation of Eigen and XLA)."""


def _polynomial(b: Builder, x: Tensor, coefficients: Sequence[float]) -> Tensor:
    result = b.binary("MUL", x, b.like(coefficients[0], x))
    for number in coefficients[1:-1]:
        result = b.binary("MUL", b.binary("ADD", result, b.like(number, x)), x)
    return b.binary("ADD", result, b.like(coefficients[-1], x))


def _erf(b: Builder, x: Tensor) -> Tensor:
    x = b.binary("MINIMUM", b.binary("MAXIMUM", x, b.like(-4, x)), b.like(4, x))
    square = b.binary("MUL", x, x)
    numerator = b.binary("MUL", x, _polynomial(b, square, _ERF_NUMERATOR))
    return b.binary("DIV", numerator, _polynomial(b, square, _ERF_DENOMINATOR))


def _reciprocal(b: Builder, x: Tensor) -> Tensor:
    return b.binary("DIV", b.like(1, x), x)


def _log_to(base: float) -> Function:
    return lambda b, x: b.binary("MUL", b.unary("LOG", x), b.like(1 / math.log(base), x))


def _plain(code: str) -> Function:
    return lambda b, x: b.unary(code, x)


_FUNCTIONS: dict[str, Function] = {
    "abs": _plain("ABS"),
    "ceil": _plain("CEIL"),
    "cos": _plain("COS"),
    "erf": _erf,
    "exp": _plain("EXP"),
    "floor": _plain("FLOOR"),
    "log": _plain("LOG"),
    "log10": _log_to(10),
    "log2": _log_to(2),
    "logical_not": _plain("LOGICAL_NOT"),
    "negative": _plain("NEG"),
    "reciprocal": _reciprocal,
    "rint": _plain("ROUND"),
    "rsqrt": lambda b, x: _reciprocal(b, b.unary("SQRT", x)),
    "sign": _plain("SIGN"),
    "sin": _plain("SIN"),
    "sqrt": _plain("SQRT"),
    "square": lambda b, x: b.binary("MUL", x, x),
}


def _unary(op: BridgeOp, ctx: Context) -> None:
    ctx.output(op, _FUNCTIONS[op.op](ctx.builder, ctx.input(op, "X")))


def _scale(op: BridgeOp, ctx: Context) -> None:
    """scale → MUL and ADD, without those that change nothing."""
    b, x = ctx.builder, ctx.input(op, "X")
    tensor = ctx.optional(op, "ScaleTensor")
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected float32")
    factor = None if op.real("scale") == 1 else b.like(op.real("scale"), x)
    if tensor is not None:
        factor = b.cast(b.reshape(tensor, (1,)), x.dtype)
    shift = b.like(op.real("bias"), x) if op.real("bias") else None
    steps = [("MUL", factor), ("ADD", shift)]
    for code, number in steps if op.flag("bias_after_scale") else reversed(steps):
        x = x if number is None else b.binary(code, x, number)
    x = activated(b, op.text("activation"), x, op.reals("activation_params"))
    if op.real("scale1") != 1:
        x = b.binary("MUL", x, b.like(op.real("scale1"), x))
    ctx.output(op, b.binary("ADD", x, b.like(op.real("bias1"), x)) if op.real("bias1") else x)


def _pow(op: BridgeOp, ctx: Context) -> None:
    b, x, factor = ctx.builder, ctx.input(op, "X"), ctx.optional(op, "FactorTensor")
    exponent = b.like(op.real("factor"), x) if factor is None else b.cast(b.reshape(factor, (1,)), x.dtype)
    ctx.output(op, b.binary("POW", x, exponent))


def _clip(op: BridgeOp, ctx: Context) -> None:
    """clip → MAXIMUM, then MINIMUM, without an infinite bound."""
    b, x = ctx.builder, ctx.input(op, "X")
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected float32")
    for code, slot, name in (("MAXIMUM", "Min", "min"), ("MINIMUM", "Max", "max")):
        bound = ctx.optional(op, slot)
        if bound is not None:
            x = b.binary(code, x, b.cast(b.reshape(bound, (1,)), x.dtype))
        elif math.isfinite(op.real(name)):
            x = b.binary(code, x, b.like(op.real(name), x))
    ctx.output(op, x)


def _dropout(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    if op.text("dropout_implementation") != "upscale_in_train":
        x = b.binary("MUL", x, b.like(1 - op.real("dropout_prob"), x))
    ctx.output(op, x)


def _cast(op: BridgeOp, ctx: Context) -> None:
    x, dtype = ctx.input(op, "X"), op.output().dtype
    if x.dtype.is_float and dtype.is_integer:
        raise Declined(
            f"from {x.dtype} to {dtype}; TFLite's result for numbers beyond {dtype} is not defined"
        )
    ctx.output(op, ctx.builder.cast(x, dtype))


register(
    __name__,
    {
        **dict.fromkeys(_FUNCTIONS, _unary),
        "cast": _cast,
        "clip": _clip,
        "dropout": _dropout,
        "pow": _pow,
        "scale": _scale,
    },
)
