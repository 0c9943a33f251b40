"""What the fusions of activations ask of one."""

from __future__ import annotations

from lite.ir.graph import Node
from lite.ir.program import AttrValue
from lite.passes.match import attributes, is_plain_float

_FUSIBLE = frozenset(
    {
        "elu",
        "gelu",
        "hard_sigmoid",
        "hard_swish",
        "leaky_relu",
        "logsigmoid",
        "mish",
        "relu",
        "relu6",
        "relu_clipped",
        "sigmoid",
        "silu",
        "softplus",
        "softsign",
        "swish",
        "tanh",
        "thresholded_relu",
    }
)


def is_activation(node: Node) -> bool:
    """Whether the node is an activation, of plain floats, that another op can do as its last step."""
    return node.op in _FUSIBLE and is_plain_float(node.input("X"), node.output("Out"))


def activation_params(activation: Node) -> AttrValue:
    """The attributes of an activation, in the order of its schema; 1.0 and 0.0 for flags."""
    values = attributes(activation).values()
    return [float(value) for value in values if isinstance(value, bool | int | float)]
