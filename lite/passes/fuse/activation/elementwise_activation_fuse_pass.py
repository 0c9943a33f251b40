"""Fuses an activation into the arithmetic of two tensors before it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ops import Trait, ops_with
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.fused_activation import can_apply, fused_attrs, is_activation
from lite.passes.match import is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
class ElementwiseActivationFusePass(Pass):
    """Replaces an activation by attributes of the arithmetic before it::

    %s = elementwise_add(X=%a, Y=%b)  ->  %y = fusion_elementwise_add_activation(X=%a, Y=%b)
    %y = relu(X=%s)                           {activation = "relu", activation_params = []}
    """

    name: ClassVar[str] = "elementwise_activation_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "fc_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """An op takes one activation; a second one after it stays."""
        changes = [_fuse(node, ctx) for node in graph if is_activation(node)]
        return Outcome.of(any(changes))


def _fuse(activation: Node, ctx: PassContext) -> bool:
    arithmetic = sole_producer(activation.input("X"), ops_with(Trait.ARITHMETIC))
    if arithmetic is None or not is_plain_float(*arithmetic.all_inputs()):
        return False
    fused = f"fusion_{arithmetic.op}_activation"
    if not can_apply(fused, activation, ctx):
        return False
    arithmetic.op = fused
    arithmetic.attrs.update(fused_attrs(activation))
    take_output(arithmetic, "Out", activation, "Out")
    return True
