"""Convolutions and transposed convolutions."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops, read_row

_WINDOW = "strides paddings padding_algorithm dilations groups data_format"

pir_ops(
    {name: f"{name} Input Filter -> Output | {_WINDOW}" for name in ("conv2d", "conv3d", "depthwise_conv2d")}
)
pir_ops(
    {
        "conv3d_transpose": f"conv3d_transpose Input Filter -> Output | {_WINDOW} output_padding",
        "deformable_conv": "deformable_conv Input Offset Filter Mask -> Output | "
        "strides paddings dilations deformable_groups groups",
    }
)


@pir_op("conv2d_transpose", "depthwise_conv2d_transpose")
def conv2d_transpose(node: PirNode, writer: BlockWriter) -> None:
    """A transposed convolution, whose output size may be an operand."""
    row = read_row(f"{node.op} -> Output | {_WINDOW} output_padding")
    operands = ShapeOperands(writer)
    operands.add(node.optional(2), "output_size", "OutputSize")
    attrs: dict[str, AttrValue] = {**row.attr_values(node), **operands.attrs}
    inputs = {"Input": node.input(0), "Filter": node.input(1), **operands.inputs}
    if len(node.inputs) > 3:
        raise ModelParseError(f"expected at most 3 operands, got {len(node.inputs)}")
    writer.emit(node.op, inputs, {"Output": node.output()}, attrs)
