"""ONNX ops of two tensors that broadcast, with a counterpart of the same meaning."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_SAME = {
    "Add": "elementwise_add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Div": "elementwise_div",
    "Equal": "equal",
    "Greater": "greater_than",
    "GreaterOrEqual": "greater_equal",
    "Less": "less_than",
    "LessOrEqual": "less_equal",
    "Mul": "elementwise_mul",
    "Or": "logical_or",
    "Sub": "elementwise_sub",
    "Xor": "logical_xor",
}

_SHIFTS = {"LEFT": "bitwise_left_shift", "RIGHT": "bitwise_right_shift"}


@onnx_op(*_SAME)
def same(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of another name."""
    writer.binary(_SAME[node.op], node.input(0), node.input(1), out=node.output())


@onnx_op("Mod")
def mod(node: OnnxNode, writer: BlockWriter) -> None:
    """The sign of the remainder is the divisor's, or with ``fmod`` the dividend's."""
    op = "fmod" if node.integer("fmod", 0) else "elementwise_mod"
    writer.binary(op, node.input(0), node.input(1), out=node.output())


@onnx_op("Pow")
def power(node: OnnxNode, writer: BlockWriter) -> None:
    """The result has the type of the base; a fractional exponent of an integer counts whole."""
    base, exponent = node.input(0), node.input(1)
    if writer.dtype(base).is_integer and writer.dtype(exponent).is_float:
        wide = writer.unary("cast", base, {"out_dtype": writer.dtype(exponent).code})
        raised = writer.binary("elementwise_pow", wide, exponent)
        writer.unary("cast", raised, {"out_dtype": writer.dtype(base).code}, node.output())
        return
    writer.binary("elementwise_pow", base, exponent, out=node.output())


@onnx_op("BitShift")
def bit_shift(node: OnnxNode, writer: BlockWriter) -> None:
    """Only unsigned integers, so that a right shift fills with zeros."""
    op = _SHIFTS.get(node.text("direction", ""))
    if op is None:
        raise node.error(f"direction: expected LEFT or RIGHT, got {node.text('direction', '')!r}")
    writer.binary(op, node.input(0), node.input(1), out=node.output())
