"""Fuses an activation into the scale before it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.fused_activation import can_apply, fused_attrs, is_activation
from lite.passes.fuse.elementwise.affine import affine
from lite.passes.match import become, sole_producer
from lite.passes.registry import register_pass


@register_pass
class ScaleActivationFusePass(Pass):
    """Replaces an activation by attributes of the scale before it::

    %a = scale(X=%x) {scale = 2.0, bias = 1.0}  ->  %y = scale(X=%x) {scale = 2.0, bias = 1.0,
    %y = relu6(X=%a) {threshold = 6.0}                   activation = "relu6", activation_params = [6.0]}
    """

    name: ClassVar[str] = "scale_activation_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("scale",)
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "scalar_elementwise_to_scale_pass",
        "conv_activation_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A scale takes one activation; a second one after it stays."""
        changes = [_fuse(node, ctx) for node in graph if is_activation(node)]
        return Outcome.of(any(changes))


def _fuse(activation: Node, ctx: PassContext) -> bool:
    scale = sole_producer(activation.input("X"), ("scale",))
    function = None if scale is None else affine(scale)
    if function is None or not can_apply("scale", activation, ctx):
        return False
    attrs = {"scale": function.factor, "bias": function.shift, **fused_attrs(activation)}
    become(activation, "scale", {"X": [function.x]}, attrs)
    return True
