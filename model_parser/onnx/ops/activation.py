"""ONNX activations and other functions of one tensor whose attributes are not those of their counterparts."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_NUMBERS: dict[str, tuple[str, dict[str, tuple[str, float]]]] = {
    "BitwiseNot": ("bitwise_not", {}),
    "Celu": ("celu", {"alpha": ("alpha", 1.0)}),
    "HardSigmoid": ("hard_sigmoid", {"slope": ("alpha", 0.2), "offset": ("beta", 0.5)}),
    "HardSwish": ("hard_swish", {}),
    "Neg": ("negative", {}),
    "Selu": ("selu", {"scale": ("gamma", 1.0507009873554805), "alpha": ("alpha", 1.6732632423543772)}),
    "Shrink": ("shrink", {"lambd": ("lambd", 0.5), "bias": ("bias", 0.0)}),
    "Softplus": ("softplus", {}),
    "Swish": ("swish", {"beta": ("alpha", 1.0)}),
}
"""ONNX op → ours, and for each of our attributes ONNX's name and default."""


@onnx_op(*_NUMBERS)
def activation(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of another name, with its attributes."""
    op, attrs = _NUMBERS[node.op]
    values = {ours: node.real(theirs, default) for ours, (theirs, default) in attrs.items()}
    writer.unary(op, node.input(0), values, node.output())


@onnx_op("Gelu")
def gelu(node: OnnxNode, writer: BlockWriter) -> None:
    """Exact, or approximated by tanh."""
    form = node.text("approximate", "none")
    if form not in ("none", "tanh"):
        raise node.error(f"approximate: expected none or tanh, got {form!r}")
    writer.unary("gelu", node.input(0), {"approximate": form == "tanh"}, node.output())
