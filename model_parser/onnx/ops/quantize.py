"""ONNX QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.ops.cast import wanted_type
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("QuantizeLinear")
def quantize(node: OnnxNode, writer: BlockWriter) -> None:
    """The zero point, else ``output_dtype``, else uint8 is the type of the result."""
    zero = node.optional(2)
    dtype = DType.UINT8
    if zero is not None:
        dtype = writer.dtype(zero)
    elif node.integer("output_dtype", 0):
        dtype = wanted_type(node, "output_dtype")
    inputs = {"X": node.input(0), "Scale": node.input(1), "ZeroPoint": zero}
    writer.emit("affine_quantize", inputs, {"Out": node.output()}, {**_blocks(node), "dtype": dtype.code})


@onnx_op("DequantizeLinear")
def dequantize(node: OnnxNode, writer: BlockWriter) -> None:
    """The scale has the type of the result unless ``output_dtype`` says another."""
    attrs = _blocks(node)
    if node.integer("output_dtype", 0):
        attrs["dtype"] = wanted_type(node, "output_dtype").code
    inputs = {"X": node.input(0), "Scale": node.input(1), "ZeroPoint": node.optional(2)}
    writer.emit("affine_dequantize", inputs, {"Out": node.output()}, attrs)


@onnx_op("DynamicQuantizeLinear")
def dynamic_quantize(node: OnnxNode, writer: BlockWriter) -> None:
    """To uint8 by the range of the elements."""
    source = node.input(0)
    outputs = {
        slot: node.optional_output(n) or writer.new(source)
        for n, slot in enumerate(("Out", "Scale", "ZeroPoint"))
    }
    writer.emit("dynamic_quantize", {"X": source}, outputs)


def _blocks(node: OnnxNode) -> dict[str, AttrValue]:
    return {"axis": node.integer("axis", 1), "block_size": node.integer("block_size", 0)}
