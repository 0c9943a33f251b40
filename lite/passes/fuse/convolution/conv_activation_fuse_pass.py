"""Fuses an activation into the convolution before it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ops import clamp_of
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.fused_activation import can_apply, fused_attrs, is_activation
from lite.passes.fuse.convolution.convolution import activation_of, open_convolution
from lite.passes.match import is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
class ConvActivationFusePass(Pass):
    """Replaces an activation by attributes of the convolution before it::

        Output=%c = conv2d(Input=%x, Filter=%w)  ->  Output=%y = conv2d(Input=%x, Filter=%w)
        %y = relu6(X=%c) {threshold = 6.0}             {activation = "relu6", activation_params = [6.0]}

    `activation_params` are the attributes of the activation, in the order of its schema.  Every
    activation that the kernels of the convolution support is fused, into conv3d those that limit numbers.
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
    conv = open_convolution(activation.input("X")) or _open_volume(activation)
    if conv is None or not can_apply(conv.op, activation, ctx):
        return False
    conv.attrs.update(fused_attrs(activation))
    take_output(conv, "Output", activation, "Out")
    return True


def _open_volume(activation: Node) -> Node | None:
    """The conv3d with constant weights and no activation whose results `activation` limits."""
    conv = sole_producer(activation.input("X"), ("conv3d",))
    if conv is None or activation_of(conv):
        return None
    weights = [value for slot in ("Filter", "Bias") for value in conv.inputs.get(slot, ())]
    is_open = all(value.is_constant for value in weights) and is_plain_float(*weights, conv.output())
    clamp = clamp_of(activation.op, activation.attrs)
    # A clip that is an activation is a relu or a relu6.
    is_limit = activation.op == "clip" or (clamp is not None and clamp.is_clip)
    return conv if is_open and is_limit else None
