"""ONNX ops that read by index: Gather, GatherElements, GatherND, Compress."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("Gather")
def gather(node: OnnxNode, writer: BlockWriter) -> None:
    """gather for one index or a row of them, take for indices in any other shape."""
    source, index = node.input(0), node.input(1)
    op = "gather" if writer.rank(index) in (0, 1) else "take"
    writer.emit(op, {"X": source, "Index": index}, {"Out": node.output()}, {"axis": node.integer("axis", 0)})


@onnx_op("GatherElements")
def gather_elements(node: OnnxNode, writer: BlockWriter) -> None:
    """take_along_axis."""
    inputs = {"Input": node.input(0), "Index": node.input(1)}
    writer.emit("take_along_axis", inputs, {"Result": node.output()}, {"Axis": node.integer("axis", 0)})


@onnx_op("GatherND")
def gather_nd(node: OnnxNode, writer: BlockWriter) -> None:
    """gather_nd, for each of the batch where there are batch_dims."""
    inputs = {"X": node.input(0), "Index": node.input(1)}
    writer.emit("gather_nd", inputs, {"Out": node.output()}, {"batch_dims": node.integer("batch_dims", 0)})


@onnx_op("Compress")
def compress(node: OnnxNode, writer: BlockWriter) -> None:
    """Without an axis, of the tensor as a vector."""
    source = node.input(0)
    if not node.has("axis"):
        source = writer.unary("reshape2", source, {"shape": [-1]})
    inputs = {"X": source, "Condition": node.input(1)}
    writer.emit("compress", inputs, {"Out": node.output()}, {"axis": node.integer("axis", 0)})
