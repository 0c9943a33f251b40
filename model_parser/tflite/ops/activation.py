"""Activations."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_ACTIVATIONS: dict[str, tuple[str, dict[str, AttrValue]]] = {
    "ELU": ("elu", {}),
    "HARD_SWISH": ("hard_swish", {}),
    "LOGISTIC": ("sigmoid", {}),
    "RELU": ("relu", {}),
    "RELU6": ("relu6", {}),
    "RELU_0_TO_1": ("clip", {"min": 0.0, "max": 1.0}),
    "RELU_N1_TO_1": ("clip", {"min": -1.0, "max": 1.0}),
    "TANH": ("tanh", {}),
}
"""TFLite op → op and its attributes."""


@tflite_op(*_ACTIVATIONS)
def activation(node: TfliteNode, writer: GraphWriter) -> None:
    """The op of the table."""
    op, attrs = _ACTIVATIONS[node.op]
    (source,), is_image = writer.operands([node.input(0)])
    writer.write(node, op, {"X": source}, attrs, is_image=is_image)


@tflite_op("GELU")
def gelu(node: TfliteNode, writer: GraphWriter) -> None:
    """`gelu`."""
    attrs: dict[str, AttrValue] = {"approximate": node.flag("approximate")}
    writer.write(node, "gelu", {"X": writer.real(node.input(0))}, attrs)


@tflite_op("LEAKY_RELU")
def leaky_relu(node: TfliteNode, writer: GraphWriter) -> None:
    """`leaky_relu`."""
    (source,), is_image = writer.operands([node.input(0)])
    writer.write(node, "leaky_relu", {"X": source}, {"alpha": node.number("alpha")}, is_image=is_image)


@tflite_op("PRELU")
def prelu(node: TfliteNode, writer: GraphWriter) -> None:
    """max(x, 0) + alpha · min(x, 0): alpha broadcasts to x."""
    (source, alpha), is_image = writer.operands([node.input(0), node.input(1)])
    positive = writer.unary("relu", source)
    negative = writer.binary("elementwise_sub", source, positive)
    inputs = {"X": positive, "Y": writer.binary("elementwise_mul", negative, alpha)}
    writer.write(node, "elementwise_add", inputs, is_image=is_image)


@tflite_op("LOG_SOFTMAX")
def log_softmax(node: TfliteNode, writer: GraphWriter) -> None:
    """`log_softmax` along the last axis."""
    writer.write(node, "log_softmax", {"X": writer.real(node.input(0))}, {"axis": -1})


@tflite_op("SOFTMAX")
def softmax(node: TfliteNode, writer: GraphWriter) -> None:
    """`softmax` of beta · x along the last axis."""
    source, beta = writer.real(node.input(0)), node.number("beta")
    if beta != 1:
        source = writer.unary("scale", source, {"scale": beta})
    writer.write(node, "softmax", {"X": source}, {"axis": -1})
