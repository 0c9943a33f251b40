"""ONNX ops of any number of tensors that broadcast: Max, Min, Sum, Mean."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_STEPS = {
    "Max": "elementwise_max",
    "Mean": "elementwise_add",
    "Min": "elementwise_min",
    "Sum": "elementwise_add",
}


@onnx_op(*_STEPS)
def joined(node: OnnxNode, writer: BlockWriter) -> None:
    """One op of two tensors after another."""
    names = list(node.inputs)
    if not names or not all(names):
        raise node.error("expected at least one input, and none that is absent")
    if len(names) == 1:
        writer.unary("assign", names[0], out=node.output())
        return
    result = names[0]
    for n, name in enumerate(names[1:], 2):
        last = n == len(names) and node.op != "Mean"
        result = writer.binary(_STEPS[node.op], result, name, out=node.output() if last else None)
    if node.op == "Mean":
        writer.unary("scale", result, {"scale": 1 / len(names)}, node.output())
