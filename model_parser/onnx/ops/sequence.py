"""ONNX's sequences as tensor arrays."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.ops.cast import wanted_type
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("SequenceEmpty")
def empty(node: OnnxNode, writer: BlockWriter) -> None:
    """make_array of nothing."""
    attrs = {"dtype": wanted_type(node, "dtype").code} if node.has("dtype") else {}
    writer.emit("make_array", {}, {"Out": node.output()}, {**attrs})


@onnx_op("SequenceConstruct")
def construct(node: OnnxNode, writer: BlockWriter) -> None:
    """make_array."""
    writer.emit("make_array", {"X": list(node.inputs)}, {"Out": node.output()})


@onnx_op("SequenceInsert")
def insert(node: OnnxNode, writer: BlockWriter) -> None:
    """insert_to_array."""
    inputs = {"X": node.input(0), "Item": node.input(1), "Position": node.optional(2)}
    writer.emit("insert_to_array", inputs, {"Out": node.output()})


@onnx_op("SequenceErase")
def erase(node: OnnxNode, writer: BlockWriter) -> None:
    """erase_from_array."""
    inputs = {"X": node.input(0), "Position": node.optional(1)}
    writer.emit("erase_from_array", inputs, {"Out": node.output()})


@onnx_op("SequenceAt")
def at(node: OnnxNode, writer: BlockWriter) -> None:
    """array_element."""
    writer.emit("array_element", {"X": node.input(0), "Position": node.input(1)}, {"Out": node.output()})


@onnx_op("SequenceLength")
def length(node: OnnxNode, writer: BlockWriter) -> None:
    """lod_array_length, whose result has an axis."""
    count = writer.unary("lod_array_length", node.input(0))
    writer.unary("squeeze2", count, {"axes": [0]}, node.output())


@onnx_op("SplitToSequence")
def split(node: OnnxNode, writer: BlockWriter) -> None:
    """split_to_array."""
    attrs = {"axis": node.integer("axis", 0), "keepdims": node.integer("keepdims", 1)}
    inputs = {"X": node.input(0), "Split": node.optional(1)}
    writer.emit("split_to_array", inputs, {"Out": node.output()}, {**attrs})


@onnx_op("ConcatFromSequence")
def concat(node: OnnxNode, writer: BlockWriter) -> None:
    """tensor_array_to_tensor."""
    if not node.has("axis"):
        raise node.error("attribute axis is missing")
    attrs = {"axis": node.integer("axis", 0), "use_stack": bool(node.integer("new_axis", 0))}
    writer.unary("tensor_array_to_tensor", node.input(0), {**attrs}, node.output())
