"""Arithmetic, comparisons and logic of two tensors."""

from __future__ import annotations

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, Convert, converts, writes_files
from lite.bridges.onnxruntime.builder import Tensor
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.defs.elementwise import aligned
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
_COMPARISONS = {
    "equal": "Equal",
    "greater_equal": "GreaterOrEqual",
    "greater_than": "Greater",
    "less_equal": "LessOrEqual",
    "less_than": "Less",
}
_LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}


def operands(op: BridgeOp, ctx: Context) -> tuple[Tensor, Tensor]:
    """X, and Y of its element type, of ranks that broadcast as Paddle's `axis` says."""
    x, y = ctx.input(op, "X"), ctx.builder.cast(ctx.input(op, "Y"), ctx.input(op, "X").dtype)
    axis = op.integer("axis")
    if axis == -1 or op["X"].rank == op["Y"].rank:
        return x, y
    first, second = op["X"].dims, op["Y"].dims
    # Raises where they do not fit.
    aligned(first, second, axis)
    if len(first) < len(second):
        return _placed(ctx, x, len(first), len(second), axis), y
    return x, _placed(ctx, y, len(second), len(first), axis)


def _placed(ctx: Context, tensor: Tensor, rank: int, wanted: int, axis: int) -> Tensor:
    """A tensor whose first axis becomes `axis` of `wanted` axes; ones that reach beyond are dropped."""
    beyond = axis + rank - wanted
    if beyond > 0:
        return ctx.builder.squeeze(tensor, *range(rank - beyond, rank))
    return ctx.builder.unsqueeze(tensor, *range(rank, rank - beyond))


def _arithmetic(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x, y = operands(op, ctx)
        if x.dtype is DType.BOOL and op_type in ("Max", "Min"):
            ctx.output(op, ctx.builder.add("Or" if op_type == "Max" else "And", x, y))
            return
        ctx.output(op, ctx.builder.add(op_type, x, y))

    return convert


def _comparison(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        _output_bool(op, ctx, ctx.builder.add(op_type, *_compared(op, ctx), dtype=DType.BOOL))

    return convert


def _logical(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x, y = operands(op, ctx)
        b = ctx.builder
        ctx.output(op, b.add(op_type, b.cast(x, DType.BOOL), b.cast(y, DType.BOOL), dtype=DType.BOOL))

    return convert


def _compared(op: BridgeOp, ctx: Context) -> tuple[Tensor, Tensor]:
    if op["X"].dtype is not op["Y"].dtype:
        raise CompileError(f"X and Y must be of one element type, got {op['X']} and {op['Y']}")
    return operands(op, ctx)


def _output_bool(op: BridgeOp, ctx: Context, result: Tensor) -> None:
    ctx.output(op, ctx.builder.cast(result, op.dtype("out_dtype", DType.BOOL)))


for _name, _op_type in _ARITHMETIC.items():
    converts(_name)(_arithmetic(_op_type))

for _name, _op_type in _COMPARISONS.items():
    converts(_name)(_comparison(_op_type))

for _name, _op_type in _LOGICAL.items():
    converts(_name)(_logical(_op_type))


@converts("not_equal")
def not_equal(op: BridgeOp, ctx: Context) -> None:
    """Not Equal."""
    same = ctx.builder.add("Equal", *_compared(op, ctx), dtype=DType.BOOL)
    _output_bool(op, ctx, ctx.builder.add("Not", same))


@converts("elementwise_mul")
def multiply(op: BridgeOp, ctx: Context) -> None:
    """X · Y, which a fusion may have given a scale and a bias."""
    if op.real("scale") != 1.0 or op.real("bias"):
        raise CompileError("it is a fused product, with a scale")
    x, y = operands(op, ctx)
    ctx.output(op, ctx.builder.add("And" if x.dtype is DType.BOOL else "Mul", x, y))


@converts("elementwise_div")
def divide(op: BridgeOp, ctx: Context) -> None:
    """Div; integers are cut off towards zero in both."""
    x, y = operands(op, ctx)
    _check_divisor(op, ctx, x)
    ctx.output(op, ctx.builder.add("Div", x, y))


@converts("elementwise_floordiv")
def floor_divide(op: BridgeOp, ctx: Context) -> None:
    """Floor of the quotient; of integers, what is left once the remainder is taken off."""
    x, y = operands(op, ctx)
    _check_divisor(op, ctx, x)
    b = ctx.builder
    if x.dtype.is_integer:
        ctx.output(op, b.add("Div", b.add("Sub", x, b.add("Mod", x, y)), y))
    else:
        ctx.output(op, b.add("Floor", b.add("Div", x, y)))


@converts("elementwise_mod")
def modulo(op: BridgeOp, ctx: Context) -> None:
    """The remainder with the sign of Y: Mod of integers, X - Floor(X / Y) · Y of others."""
    x, y = operands(op, ctx)
    _check_divisor(op, ctx, x)
    b = ctx.builder
    if x.dtype.is_integer:
        ctx.output(op, b.add("Mod", x, y))
        return
    rest = b.add("Mod", x, y, fmod=1)
    other_sign = b.add("Less", b.add("Mul", rest, y), b.scalar(0.0, x.dtype), dtype=DType.BOOL)
    ctx.output(op, b.add("Where", other_sign, b.add("Add", rest, y), rest, dtype=x.dtype))


@converts("fmod")
def fmod(op: BridgeOp, ctx: Context) -> None:
    """The remainder with the sign of X."""
    x, y = operands(op, ctx)
    _check_divisor(op, ctx, x)
    ctx.output(op, ctx.builder.add("Mod", x, y, fmod=1))


@converts("elementwise_pow")
def power(op: BridgeOp, ctx: Context) -> None:
    """Pow of floating point numbers."""
    x, y = operands(op, ctx)
    if x.dtype.is_integer:
        raise CompileError(f"X must be floating point, got {x.dtype}: powers of integers differ")
    ctx.output(op, ctx.builder.add("Pow", x, y))


def _check_divisor(op: BridgeOp, ctx: Context, x: Tensor) -> None:
    """An integer divided by 0 is an error in ONNX Runtime 1.31, but ends the process in older ones."""
    if x.dtype.is_integer and not writes_files(ctx.device):
        divisor = op.constant("Y")
        if divisor is None:
            raise CompileError(f"integers are divided ({op['X']}) by what is not constant, which may be 0")
        if not divisor.all():
            raise CompileError("integers are divided by 0")


@converts("sum")
def total(op: BridgeOp, ctx: Context) -> None:
    """Sum, or Add one after another where Sum has no integers."""
    terms = ctx.inputs(op, "X")
    terms = [ctx.builder.cast(term, terms[0].dtype) for term in terms]
    result = terms[0]
    for term in terms[1:]:
        result = ctx.builder.add("Add", result, term)
    ctx.output(op, ctx.builder.add("Identity", result) if len(terms) == 1 else result)


@converts("axpy")
def axpy(op: BridgeOp, ctx: Context) -> None:
    """Scale · X + Bias."""
    factor, b = ctx.input(op, "Scale"), ctx.builder
    missing = op["X"].rank - op["Scale"].rank
    factor = b.unsqueeze(factor, *range(op["Scale"].rank, op["Scale"].rank + missing))
    ctx.output(op, b.add("Add", b.add("Mul", ctx.input(op, "X"), factor), ctx.input(op, "Bias")))


@converts("bitwise_left_shift", "bitwise_right_shift")
def shift(op: BridgeOp, ctx: Context) -> None:
    """BitShift."""
    x, y = operands(op, ctx)
    direction = "LEFT" if op.op == "bitwise_left_shift" else "RIGHT"
    ctx.output(op, ctx.builder.add("BitShift", x, y, direction=direction))


@converts("atan2")
def atan2(op: BridgeOp, ctx: Context) -> None:
    """Atan of the quotient, turned by half a circle where the second is negative."""
    b, y, x = ctx.builder, ctx.input(op, "X1"), ctx.input(op, "X2")
    kind = op.output("Out").dtype
    y, x = b.cast(y, kind), b.cast(x, kind)
    zero = b.scalar(0.0, kind)

    def chosen(condition: Tensor, first: Tensor, second: Tensor) -> Tensor:
        return b.add("Where", condition, first, second, dtype=kind)

    # The reciprocal knows the sign of a zero.
    negative = b.add("Less", chosen(is_zero(ctx, y), b.add("Reciprocal", y), y), zero, dtype=DType.BOOL)
    behind = b.add("Less", chosen(is_zero(ctx, x), b.add("Reciprocal", x), x), zero, dtype=DType.BOOL)
    half = chosen(negative, b.scalar(-np.pi, kind), b.scalar(np.pi, kind))
    angle = b.add("Atan", b.add("Div", b.add("Abs", y), b.add("Abs", x)))
    # Of two zeros or two infinities the quotient is no number.
    angle = chosen(is_zero(ctx, y), zero, angle)
    both = b.add("And", *(b.add("IsInf", each, dtype=DType.BOOL) for each in (x, y)))
    angle = chosen(both, b.scalar(np.pi / 4, kind), angle)
    angle = chosen(negative, b.add("Neg", angle), angle)
    ctx.output(op, chosen(behind, b.add("Sub", half, angle), angle))


def is_zero(ctx: Context, x: Tensor) -> Tensor:
    """Whether each element is 0, of either sign."""
    return ctx.builder.add("Equal", x, ctx.builder.scalar(0.0, x.dtype), dtype=DType.BOOL)


@converts("where")
def where(op: BridgeOp, ctx: Context) -> None:
    """Where."""
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.add("Where", ctx.input(op, "Condition"), x, ctx.input(op, "Y"), dtype=x.dtype))
