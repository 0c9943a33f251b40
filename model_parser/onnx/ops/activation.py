"""Activations: one table of ONNX ops with an equal op, and Gelu, PRelu and SwiGLU."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Shape
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_ACTIVATIONS: dict[str, tuple[str, dict[str, tuple[str, float]]]] = {
    "Celu": ("celu", {"alpha": ("alpha", 1.0)}),
    "Elu": ("elu", {"alpha": ("alpha", 1.0)}),
    "HardSigmoid": ("hard_sigmoid", {"slope": ("alpha", 0.2), "offset": ("beta", 0.5)}),
    "HardSwish": ("hard_swish", {}),
    "LeakyRelu": ("leaky_relu", {"alpha": ("alpha", 0.01)}),
    "Mish": ("mish", {}),
    "Relu": ("relu", {}),
    "Selu": ("selu", {"scale": ("gamma", 1.0507009873554805), "alpha": ("alpha", 1.6732632423543772)}),
    "Shrink": ("shrink", {"lambd": ("lambd", 0.5), "bias": ("bias", 0.0)}),
    "Sigmoid": ("sigmoid", {}),
    "Softplus": ("softplus", {}),
    "Softsign": ("softsign", {}),
    "Swish": ("swish", {"beta": ("alpha", 1.0)}),
    "Tanh": ("tanh", {}),
    "ThresholdedRelu": ("thresholded_relu", {"threshold": ("alpha", 1.0)}),
}
"""ONNX op → op, and for each attribute of the op the ONNX attribute and its default."""


@onnx_op(*_ACTIVATIONS)
def activation(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of the table, with its attributes."""
    op, attrs = _ACTIVATIONS[node.op]
    values = {name: node.real(onnx_name, default) for name, (onnx_name, default) in attrs.items()}
    writer.unary(op, node.input(0), values, node.output())


@onnx_op("Gelu")
def gelu(node: OnnxNode, writer: BlockWriter) -> None:
    """`gelu`, exact or by the approximation with tanh."""
    approximate = node.string("approximate", "none")
    if approximate not in ("none", "tanh"):
        raise node.error(f"approximate: expected none or tanh, got {approximate!r}")
    writer.unary("gelu", node.input(0), {"approximate": approximate == "tanh"}, node.output())


@onnx_op("com.microsoft.Gelu", "com.microsoft.BiasGelu", "com.microsoft.FastGelu")
def contrib_gelu(node: OnnxNode, writer: BlockWriter) -> None:
    """`gelu` of the sum of the input and the bias; FastGelu is the approximation with tanh."""
    source, bias = node.input(0), node.optional(1)
    if bias is not None:
        source = writer.binary("elementwise_add", source, bias)
    is_fast = node.op == "com.microsoft.FastGelu"
    writer.unary("gelu", source, {"approximate": is_fast}, node.output())


@onnx_op("com.microsoft.QuickGelu")
def quick_gelu(node: OnnxNode, writer: BlockWriter) -> None:
    """``X · sigmoid(alpha · X)``, which is `swish`."""
    writer.unary("swish", node.input(0), {"beta": node.real("alpha", 1.702)}, node.output())


@onnx_op("PRelu")
def prelu(node: OnnxNode, writer: BlockWriter) -> None:
    """`prelu` for one slope or one per channel; else ``max(X, 0) + min(X, 0) · slope``."""
    source, slope = node.input(0), node.input(1)
    mode = _prelu_mode(writer.shape(slope), writer.shape(source))
    if mode is not None and writer.dtype(source).is_float:
        writer.emit("prelu", {"X": source, "Alpha": slope}, {"Out": node.output()}, {"mode": mode})
        return
    zero = writer.weight(np.zeros((), writer.dtype(source).numpy), node.output())
    negative = writer.binary("elementwise_min", source, zero)
    scaled = writer.binary("elementwise_mul", negative, slope)
    positive = writer.binary("elementwise_max", source, zero)
    writer.binary("elementwise_add", positive, scaled, out=node.output())


def _prelu_mode(slope: Shape | None, source: Shape | None) -> str | None:
    if slope is None or source is None or any(isinstance(dim, str) for dim in slope):
        return None
    leading = len(source) - len(slope)
    if leading < 0:
        return None
    if all(dim == 1 for dim in slope):
        return "all"
    padded = (*(1,) * leading, *slope)
    per_channel = all(dim == 1 for axis, dim in enumerate(padded) if axis != 1)
    return "channel" if len(padded) > 1 and per_channel and padded[1] == source[1] else None


@onnx_op("SwiGLU")
def swiglu(node: OnnxNode, writer: BlockWriter) -> None:
    """``swish(A) · B``."""
    gate = writer.unary("swish", node.input(0), {"beta": node.real("alpha", 1.0)})
    writer.binary("elementwise_mul", gate, node.input(1), out=node.output())
