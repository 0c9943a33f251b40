"""Matrix products."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("FULLY_CONNECTED")
def fully_connected(node: TfliteNode, writer: GraphWriter) -> None:
    """`matmul_v2` with weights [O, I], and the sum with the bias."""
    if node.integer("weights_format"):
        raise ModelParseError("shuffled weights are not supported; convert the model with default weights")
    weights = node.input(1)
    if weights.rank != 2:
        raise ModelParseError(f"expected weights [O, I], got rank {weights.rank}")
    source, depth = writer.real(node.input(0)), weights.shape[1]
    if not isinstance(depth, int):
        raise ModelParseError("expected weights of a known size")
    shape = node.input(0).shape
    if not node.flag("keep_num_dims") and (len(shape) != 2 or shape[1] != depth):
        source = writer.unary("reshape2", source, {"shape": [-1, depth]})
    inputs = {"X": source, "Y": writer.real(weights)}
    attrs: dict[str, AttrValue] = {"trans_y": True}
    bias = node.optional(2)
    if bias is None:
        writer.write(node, "matmul_v2", inputs, attrs)
        return
    product = writer.new_name(node.output().name)
    writer.emit("matmul_v2", inputs, {"Out": product}, attrs)
    writer.write(node, "elementwise_add", {"X": product, "Y": writer.real(bias)})


@tflite_op("BATCH_MATMUL")
def batch_matmul(node: TfliteNode, writer: GraphWriter) -> None:
    """`matmul_v2`."""
    inputs = {"X": writer.real(node.input(0)), "Y": writer.real(node.input(1))}
    attrs: dict[str, AttrValue] = {"trans_x": node.flag("adj_x"), "trans_y": node.flag("adj_y")}
    writer.write(node, "matmul_v2", inputs, attrs)
