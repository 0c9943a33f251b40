"""Fuses an activation into the convolution before it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.fused_activation import can_apply, fused_attrs, is_activation
from lite.passes.fuse.convolution.convolution import open_convolution
from lite.passes.match import take_output
from lite.passes.registry import register_pass


@register_pass
class ConvActivationFusePass(Pass):
    """Replaces an activation by attributes of the convolution before it::

        Output=%c = conv2d(Input=%x, Filter=%w)  ->  Output=%y = conv2d(Input=%x, Filter=%w)
        %y = relu6(X=%c) {threshold = 6.0}             {activation = "relu6", activation_params = [6.0]}

    `activation_params` are the attributes of the activation, in the order of its schema.  Every
    activation that the kernels of the convolution support is fused.
    """

    name: ClassVar[str] = "conv_activation_fuse_pass"
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "conv_bn_fuse_pass",
        "conv_elementwise_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A convolution takes one activation; a second one after it stays."""
        changes = [_fuse(node, ctx) for node in graph if is_activation(node)]
        return Outcome.of(any(changes))


def _fuse(activation: Node, ctx: PassContext) -> bool:
    conv = open_convolution(activation.input("X"))
    if conv is None or not can_apply(conv.op, activation, ctx):
        return False
    conv.attrs.update(fused_attrs(activation))
    take_output(conv, "Output", activation, "Out")
    return True
