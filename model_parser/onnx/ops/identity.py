"""ONNX ops that do nothing at inference: Identity and Dropout."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("Identity")
def identity(node: OnnxNode, writer: BlockWriter) -> None:
    """assign; of a constant, the result is known too."""
    source = node.input(0)
    writer.unary("assign", source, out=node.output())
    known = writer.constant(source)
    if known is not None:
        writer.arrays[node.output()] = known


@onnx_op("Dropout")
def dropout(node: OnnxNode, writer: BlockWriter) -> None:
    """The input as it is, and a mask that drops nothing."""
    source, training = node.input(0), node.optional(2)
    if training is not None:
        flag = writer.constant(training)
        if flag is None or flag.any():
            raise node.error(
                "training_mode: expected a constant that is false; export the model for inference"
            )
    writer.unary("assign", source, out=node.output())
    mask = node.optional_output(1)
    if mask is not None:
        kind = DType.BOOL.code if node.opset >= 10 else -1
        writer.unary("fill_any_like", source, {"value": 1.0, "dtype": kind}, mask)
