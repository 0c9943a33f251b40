"""Comparisons, logic, where → Equal, Less, And, Or, Where, … (ONNX opset 21).

X and Y of a comparison have one element type.
"""

from __future__ import annotations

from lite.bridges.onnx.ops.elementwise import aligned_inputs
from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, Convert, converts
from lite.emission.onnx.builder import Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_COMPARISONS = {
    "equal": "Equal",
    "greater_equal": "GreaterOrEqual",
    "greater_than": "Greater",
    "less_equal": "LessOrEqual",
    "less_than": "Less",
}

_LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}


def _comparison(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        _output_bool(op, ctx, ctx.builder.add(op_type, *_compared_inputs(op, ctx), dtype=DType.BOOL))

    return convert


def _logical(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x, y = aligned_inputs(op, ctx)
        b = ctx.builder
        ctx.output(op, b.add(op_type, b.cast(x, DType.BOOL), b.cast(y, DType.BOOL), dtype=DType.BOOL))

    return convert


def _compared_inputs(op: BridgeOp, ctx: Context) -> tuple[Tensor, Tensor]:
    if op["X"].dtype is not op["Y"].dtype:
        raise Declined(f"X and Y must have one element type, got {op['X']} and {op['Y']}")
    return aligned_inputs(op, ctx)


def _output_bool(op: BridgeOp, ctx: Context, result: Tensor) -> None:
    ctx.output(op, ctx.builder.cast(result, op.dtype("out_dtype", DType.BOOL)))


for _name, _op_type in _COMPARISONS.items():
    converts(_name)(_comparison(_op_type))


for _name, _op_type in _LOGICAL.items():
    converts(_name)(_logical(_op_type))


@converts("not_equal")
def not_equal(op: BridgeOp, ctx: Context) -> None:
    """not_equal → Not(Equal)."""
    equal = ctx.builder.add("Equal", *_compared_inputs(op, ctx), dtype=DType.BOOL)
    _output_bool(op, ctx, ctx.builder.add("Not", equal))


@converts("where")
def where(op: BridgeOp, ctx: Context) -> None:
    """where → Where."""
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.add("Where", ctx.input(op, "Condition"), x, ctx.input(op, "Y"), dtype=x.dtype))
