"""Activations."""

from __future__ import annotations

from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

pir_ops(
    {
        "celu": "celu X -> Out | alpha",
        "elu": "elu X -> Out | alpha",
        "gelu": "gelu X -> Out | approximate",
        "hardshrink": "shrink X -> Out | threshold=lambd",
        "hardsigmoid": "hard_sigmoid X -> Out | slope offset",
        "hardswish": "hard_swish X -> Out",
        "leaky_relu": "leaky_relu X -> Out | negative_slope=alpha",
        "log_softmax": "log_softmax X -> Out | axis",
        "logsigmoid": "logsigmoid X -> Out",
        "mish": "mish X -> Out | lambda=threshold",
        "prelu": "prelu X Alpha -> Out | mode data_format",
        "relu": "relu X -> Out",
        "relu6": "relu6 X -> Out",
        "selu": "selu X -> Out | scale alpha",
        "sigmoid": "sigmoid X -> Out",
        "silu": "silu X -> Out",
        "softmax": "softmax X -> Out | axis",
        "softplus": "softplus X -> Out | beta threshold",
        "softsign": "softsign X -> Out",
        "swish": "swish X -> Out",
        "tanh": "tanh X -> Out",
    }
)


@pir_op("hardtanh")
def hard_tanh(node: PirNode, writer: BlockWriter) -> None:
    """`clip`."""
    attrs = {"min": node.real("t_min", -1.0), "max": node.real("t_max", 1.0)}
    writer.emit("clip", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("softshrink")
def soft_shrink(node: PirNode, writer: BlockWriter) -> None:
    """`shrink` towards 0."""
    threshold = node.real("threshold", 0.5)
    attrs = {"lambd": threshold, "bias": threshold}
    writer.emit("shrink", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("tanh_shrink")
def tanh_shrink(node: PirNode, writer: BlockWriter) -> None:
    """x - tanh(x)."""
    source = node.input(0)
    inputs = {"X": source, "Y": writer.unary("tanh", source)}
    writer.emit("elementwise_sub", inputs, {"Out": node.output()})
