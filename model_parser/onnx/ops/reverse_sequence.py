"""ONNX ReverseSequence."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("ReverseSequence")
def reverse_sequence(node: OnnxNode, writer: BlockWriter) -> None:
    """reverse_sequence."""
    inputs = {"X": node.input(0), "SequenceLens": node.input(1)}
    attrs = {"batch_axis": node.integer("batch_axis", 1), "time_axis": node.integer("time_axis", 0)}
    writer.emit("reverse_sequence", inputs, {"Out": node.output()}, attrs)
