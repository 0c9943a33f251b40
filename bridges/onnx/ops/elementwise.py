"""elementwise_*, bits, sum, axpy, atan2 → Add, Mul, Div, Mod, Pow, BitwiseAnd, … (ONNX opset 21).

Every element type that ONNX and ONNX Runtime take.  Integers are divided by constants without a 0 only,
except in files; powers are of real numbers.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, Convert, converts, writes_files
from lite.emission.onnx.builder import Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_ARITHMETIC = {
    "elementwise_add": "Add",
    "elementwise_max": "Max",
    "elementwise_min": "Min",
    "elementwise_sub": "Sub",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
}


def aligned_inputs(op: BridgeOp, ctx: Context) -> tuple[Tensor, Tensor]:
    """X, and Y in its element type, with axes of size 1 so that they broadcast as Paddle's `axis` says."""
    x, y = ctx.input(op, "X"), ctx.builder.cast(ctx.input(op, "Y"), ctx.input(op, "X").dtype)
    axis = op.integer("axis")
    if axis == -1 or op["X"].rank == op["Y"].rank:
        return x, y
    x_rank, y_rank = op["X"].rank, op["Y"].rank
    if x_rank < y_rank:
        return _aligned(ctx, x, x_rank, y_rank, axis), y
    return x, _aligned(ctx, y, y_rank, x_rank, axis)


def _aligned(ctx: Context, tensor: Tensor, rank: int, target: int, axis: int) -> Tensor:
    """The tensor with its first axis at `axis` of `target` axes; drops last axes of size 1 beyond them."""
    beyond = axis + rank - target
    if beyond > 0:
        return ctx.builder.squeeze(tensor, *range(rank - beyond, rank))
    return ctx.builder.unsqueeze(tensor, *range(rank, rank - beyond))


def _arithmetic(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x, y = aligned_inputs(op, ctx)
        if x.dtype is DType.BOOL and op_type in ("Max", "Min"):
            ctx.output(op, ctx.builder.add("Or" if op_type == "Max" else "And", x, y))
            return
        ctx.output(op, ctx.builder.add(op_type, x, y))

    return convert


for _name, _op_type in _ARITHMETIC.items():
    converts(_name)(_arithmetic(_op_type))


@converts("elementwise_mul")
def multiply(op: BridgeOp, ctx: Context) -> None:
    """elementwise_mul → Mul, without a fused scale."""
    if op.real("scale") != 1.0 or op.real("bias"):
        raise Declined("a scale is fused into it, which ONNX's Mul lacks")
    x, y = aligned_inputs(op, ctx)
    ctx.output(op, ctx.builder.add("And" if x.dtype is DType.BOOL else "Mul", x, y))


@converts("elementwise_div")
def divide(op: BridgeOp, ctx: Context) -> None:
    """elementwise_div → Div; quotients of integers are truncated."""
    x, y = aligned_inputs(op, ctx)
    _check_divisor(op, ctx, x)
    ctx.output(op, ctx.builder.add("Div", x, y))


@converts("elementwise_floordiv")
def floor_divide(op: BridgeOp, ctx: Context) -> None:
    """elementwise_floordiv → Floor(X / Y); for integers (X - Mod(X, Y)) / Y."""
    x, y = aligned_inputs(op, ctx)
    _check_divisor(op, ctx, x)
    b = ctx.builder
    if x.dtype.is_integer:
        ctx.output(op, b.add("Div", b.add("Sub", x, b.add("Mod", x, y)), y))
    else:
        ctx.output(op, b.add("Floor", b.add("Div", x, y)))


@converts("elementwise_mod")
def modulo(op: BridgeOp, ctx: Context) -> None:
    """elementwise_mod → Mod, with the sign of Y; for real numbers Mod with fmod=1, corrected by Y."""
    x, y = aligned_inputs(op, ctx)
    _check_divisor(op, ctx, x)
    b = ctx.builder
    if x.dtype.is_integer:
        ctx.output(op, b.add("Mod", x, y))
        return
    remainder = b.add("Mod", x, y, fmod=1)
    other_sign = b.add("Less", b.add("Mul", remainder, y), b.scalar(0.0, x.dtype), dtype=DType.BOOL)
    ctx.output(op, b.add("Where", other_sign, b.add("Add", remainder, y), remainder, dtype=x.dtype))


@converts("fmod")
def fmod(op: BridgeOp, ctx: Context) -> None:
    """fmod → Mod with fmod=1: the remainder has the sign of X."""
    x, y = aligned_inputs(op, ctx)
    _check_divisor(op, ctx, x)
    ctx.output(op, ctx.builder.add("Mod", x, y, fmod=1))


@converts("elementwise_pow")
def power(op: BridgeOp, ctx: Context) -> None:
    """elementwise_pow → Pow of real numbers."""
    x, y = aligned_inputs(op, ctx)
    if x.dtype.is_integer:
        raise Declined(f"X is {op['X']}, expected real numbers: powers of integers differ from Paddle's")
    ctx.output(op, ctx.builder.add("Pow", x, y))


def _check_divisor(op: BridgeOp, ctx: Context, x: Tensor) -> None:
    """Decline integer divisors that may be 0: before version 1.31, ONNX Runtime ends the process for one."""
    if x.dtype.is_integer and not writes_files(ctx.device):
        divisor = op.constant("Y")
        if divisor is None:
            raise Declined(f"X is {op['X']}, and Y is not constant: ONNX Runtime cannot divide integers by 0")
        if not divisor.all():
            raise Declined(f"X is {op['X']}, and Y has a 0: ONNX Runtime cannot divide integers by 0")


@converts("sum")
def total(op: BridgeOp, ctx: Context) -> None:
    """sum → Add of one tensor after the other: ONNX's Sum takes no integers."""
    terms = ctx.inputs(op, "X")
    terms = [ctx.builder.cast(term, terms[0].dtype) for term in terms]
    result = terms[0]
    for term in terms[1:]:
        result = ctx.builder.add("Add", result, term)
    ctx.output(op, ctx.builder.add("Identity", result) if len(terms) == 1 else result)


@converts("axpy")
def axpy(op: BridgeOp, ctx: Context) -> None:
    """axpy → Scale · X + Bias."""
    factor, b = ctx.input(op, "Scale"), ctx.builder
    missing = op["X"].rank - op["Scale"].rank
    factor = b.unsqueeze(factor, *range(op["Scale"].rank, op["Scale"].rank + missing))
    ctx.output(op, b.add("Add", b.add("Mul", ctx.input(op, "X"), factor), ctx.input(op, "Bias")))


@converts("bitwise_left_shift", "bitwise_right_shift")
def shift(op: BridgeOp, ctx: Context) -> None:
    """bitwise_left_shift, bitwise_right_shift → BitShift."""
    x, y = aligned_inputs(op, ctx)
    direction = "LEFT" if op.op == "bitwise_left_shift" else "RIGHT"
    ctx.output(op, ctx.builder.add("BitShift", x, y, direction=direction))


@converts("atan2")
def atan2(op: BridgeOp, ctx: Context) -> None:
    """atan2 → Atan(|Y| / |X|), reflected into the quarter of the signs; here X1 is Y and X2 is X."""
    b, y, x = ctx.builder, ctx.input(op, "X1"), ctx.input(op, "X2")
    kind = op.output("Out").dtype
    y, x = b.cast(y, kind), b.cast(x, kind)
    zero = b.scalar(0.0, kind)

    def chosen(condition: Tensor, first: Tensor, second: Tensor) -> Tensor:
        return b.add("Where", condition, first, second, dtype=kind)

    # The reciprocal of a zero has its sign.
    y_negative = b.add("Less", chosen(_is_zero(ctx, y), b.add("Reciprocal", y), y), zero, dtype=DType.BOOL)
    x_negative = b.add("Less", chosen(_is_zero(ctx, x), b.add("Reciprocal", x), x), zero, dtype=DType.BOOL)
    half = chosen(y_negative, b.scalar(-np.pi, kind), b.scalar(np.pi, kind))
    angle = b.add("Atan", b.add("Div", b.add("Abs", y), b.add("Abs", x)))
    # The quotient of two zeros or two infinities is NaN.
    angle = chosen(_is_zero(ctx, y), zero, angle)
    both = b.add("And", *(b.add("IsInf", each, dtype=DType.BOOL) for each in (x, y)))
    angle = chosen(both, b.scalar(np.pi / 4, kind), angle)
    angle = chosen(y_negative, b.add("Neg", angle), angle)
    ctx.output(op, chosen(x_negative, b.add("Sub", half, angle), angle))


def _is_zero(ctx: Context, x: Tensor) -> Tensor:
    """Whether each element is 0, with either sign."""
    return ctx.builder.add("Equal", x, ctx.builder.scalar(0.0, x.dtype), dtype=DType.BOOL)
