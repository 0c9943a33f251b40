"""The activation that ONNX Runtime's fused ops name in their attribute ``activation``."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import suggest
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode

_ACTIVATIONS: dict[str, tuple[str, Sequence[tuple[str, float]]]] = {
    "": ("assign", ()),
    "Clip": ("clip", (("min", -3.4028234663852886e38), ("max", 3.4028234663852886e38))),
    "Elu": ("elu", (("alpha", 1.0),)),
    "HardSigmoid": ("hard_sigmoid", (("slope", 0.2), ("offset", 0.5))),
    "HardSwish": ("hard_swish", ()),
    "LeakyRelu": ("leaky_relu", (("alpha", 0.01),)),
    "Relu": ("relu", ()),
    "Sigmoid": ("sigmoid", ()),
    "Softplus": ("softplus", ()),
    "Softsign": ("softsign", ()),
    "Tanh": ("tanh", ()),
}
"""Activation → op, and its attributes with their defaults, in the order of the parameters."""


def fused_activation(node: OnnxNode, writer: BlockWriter, source: str, parameters: Sequence[float]) -> None:
    """Add the activation of a node, from `source` to its output; raises `ModelParseError` where unknown."""
    name = node.string("activation", "")
    row = _ACTIVATIONS.get(name)
    if row is None:
        expected = ", ".join(known for known in _ACTIVATIONS if known)
        raise node.error(
            f"attribute activation: expected one of {expected}, got {name!r}{suggest(name, _ACTIVATIONS)}"
        )
    op, defaults = row
    values = [default for _, default in defaults]
    values[: len(parameters)] = parameters[: len(values)]
    attrs = {attr: value for (attr, _), value in zip(defaults, values, strict=True)}
    writer.unary(op, source, attrs, node.output())
