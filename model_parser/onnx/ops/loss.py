"""Losses, and SwiGLU."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(node: OnnxNode, writer: BlockWriter) -> None:
    """nll_loss."""
    _nll_loss(node, writer, node.input(0))


@onnx_op("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(node: OnnxNode, writer: BlockWriter) -> None:
    """log_softmax over the classes, then nll_loss."""
    attrs: dict[str, AttrValue] = {"axis": 1}
    _nll_loss(node, writer, writer.unary("log_softmax", node.input(0), attrs, node.optional_output(1)))


def _nll_loss(node: OnnxNode, writer: BlockWriter, logarithms: str) -> None:
    attrs: dict[str, AttrValue] = {"reduction": node.text("reduction", "mean")}
    if node.has("ignore_index"):
        attrs["ignore_index"] = node.integer("ignore_index", 0)
    writer.emit(
        "nll_loss",
        {"X": logarithms, "Label": node.input(1), "Weight": node.optional(2)},
        {"Out": node.output()},
        attrs,
    )


@onnx_op("SwiGLU")
def swiglu(node: OnnxNode, writer: BlockWriter) -> None:
    """``swish(A) · B``."""
    gate = writer.unary("swish", node.input(0), {"beta": node.real("alpha", 1.0)})
    writer.binary("elementwise_mul", gate, node.input(1), out=node.output())
