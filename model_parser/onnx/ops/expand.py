"""ONNX Expand and Tile."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import numbers_of


@onnx_op("Expand")
def expand(node: OnnxNode, writer: BlockWriter) -> None:
    """expand_v2 where the sizes are known, else broadcast_to: a size of 1 keeps the input's."""
    source, shape = node.input(0), numbers_of(writer, node.input(1))
    rank = writer.rank(source)
    if shape.known is None or rank is None:
        inputs = {"X": source, **shape.slot("Shape")}
        writer.emit("broadcast_to", inputs, {"Out": node.output()}, shape.attr("shape"))
        return
    sizes = [1] * (rank - len(shape.known)) + shape.known
    new = len(sizes) - rank
    kept = [-1 if n >= new and size == 1 else size for n, size in enumerate(sizes)]
    writer.unary("expand_v2", source, {"shape": [*kept]}, node.output())


@onnx_op("Tile")
def tile(node: OnnxNode, writer: BlockWriter) -> None:
    """tile."""
    times = numbers_of(writer, node.input(1))
    inputs = {"X": node.input(0), **times.slot("RepeatTimes")}
    writer.emit("tile", inputs, {"Out": node.output()}, times.attr("repeat_times"))
