"""ONNX ops that choose elements by a condition: Where and NonZero."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("Where")
def where(node: OnnxNode, writer: BlockWriter) -> None:
    """where."""
    inputs = {"Condition": node.input(0), "X": node.input(1), "Y": node.input(2)}
    writer.emit("where", inputs, {"Out": node.output()})


@onnx_op("NonZero")
def non_zero(node: OnnxNode, writer: BlockWriter) -> None:
    """Ours has a row for each place, ONNX a column."""
    places = writer.new(node.input(0))
    writer.emit("where_index", {"Condition": node.input(0)}, {"Out": places})
    writer.unary("transpose2", places, {"axis": [1, 0]}, node.output())
