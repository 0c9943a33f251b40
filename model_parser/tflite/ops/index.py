"""Ops that read and write by index, sorted elements, and one-hot vectors."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("GATHER")
def gather(node: TfliteNode, writer: GraphWriter) -> None:
    """`take` along an axis."""
    if node.integer("batch_dims"):
        raise ModelParseError("option batch_dims: expected 0")
    attrs: dict[str, AttrValue] = {"axis": node.input(0).axis(node.integer("axis"))}
    writer.move(node, "take", attrs, others={"Index": writer.name(node.input(1))})


@tflite_op("GATHER_ND")
def gather_nd(node: TfliteNode, writer: GraphWriter) -> None:
    """`gather_nd`."""
    writer.move(node, "gather_nd", others={"Index": writer.name(node.input(1))})


@tflite_op("EMBEDDING_LOOKUP")
def embedding_lookup(node: TfliteNode, writer: GraphWriter) -> None:
    """`take` of rows; the indices come first."""
    inputs = {"X": writer.real(node.input(1)), "Index": writer.name(node.input(0))}
    writer.write(node, "take", inputs, {"axis": 0})


@tflite_op("TOPK_V2")
def topk(node: TfliteNode, writer: GraphWriter) -> None:
    """`top_k_v2` along the last axis with a constant count; positions are int32."""
    (count,) = node.integers(1)
    values, positions = (writer.new_name(output.name) for output in node.outputs)
    outputs = {"Out": values, "Indices": positions}
    inputs = {"X": writer.real(node.input(0))}
    writer.emit("top_k_v2", inputs, outputs, {"k": count, "axis": -1})
    writer.write(node, "assign", {"X": values})
    writer.write(node, "cast", {"X": positions}, {"out_dtype": node.output(1).dtype.code}, position=1)


@tflite_op("ONE_HOT")
def one_hot(node: TfliteNode, writer: GraphWriter) -> None:
    """`one_hot_values` between a constant off and a constant on value."""
    off, on = (node.input(position) for position in (3, 2))
    values = [writer.unary("reshape2", writer.name(tensor), {"shape": [1]}) for tensor in (off, on)]
    joined = writer.new_name(node.output().name)
    writer.emit("concat", {"X": values}, {"Out": joined}, {"axis": 0})
    (depth,) = node.integers(1)
    inputs = {"X": writer.name(node.input(0)), "Values": joined}
    writer.write(node, "one_hot_values", inputs, {"depth": depth, "axis": node.integer("axis")})


@tflite_op("WHERE")
def where(node: TfliteNode, writer: GraphWriter) -> None:
    """`where_index`: the positions of true elements."""
    writer.write(node, "where_index", {"Condition": writer.name(node.input(0))})
