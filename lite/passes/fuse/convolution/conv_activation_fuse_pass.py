"""An activation behind a convolution."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.program import AttrValue
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import open_convolution
from lite.passes.match import attributes, is_plain_float, take_output
from lite.passes.registry import register_pass

_ACTIVATIONS = frozenset(
    {"hard_sigmoid", "hard_swish", "leaky_relu", "relu", "relu6", "sigmoid", "swish", "tanh"}
)


@register_pass
class ConvActivationFusePass(Pass):
    """An activation becomes attributes of the convolution before it::

        Output=%c = conv2d(Input=%x, Filter=%w)  ->  Output=%y = conv2d(Input=%x, Filter=%w)
        %y = relu6(X=%c) {threshold = 6.0}             {activation = "relu6", activation_params = [6.0]}

    `activation_params` are the attributes of the activation, in the order of its schema.
    """

    name: ClassVar[str] = "conv_activation_fuse_pass"
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "conv_bn_fuse_pass",
        "conv_elementwise_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A convolution takes one activation; a second one behind it stays."""
        changes = [_fuse(node) for node in graph if node.op in _ACTIVATIONS]
        return Outcome.of(any(changes))


def _fuse(activation: Node) -> bool:
    conv = open_convolution(activation.input("X"))
    if conv is None or not is_plain_float(activation.output("Out")):
        return False
    params: list[AttrValue] = list(attributes(activation).values())
    conv.attrs["activation"] = activation.op
    conv.attrs["activation_params"] = [value for value in params if isinstance(value, float)]
    take_output(conv, "Output", activation, "Out")
    return True
