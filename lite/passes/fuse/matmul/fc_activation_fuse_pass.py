"""Fuses an activation into the fc before it."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.fused_activation import can_apply, fused_attrs, is_activation
from lite.passes.match import attributes, is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
class FcActivationFusePass(Pass):
    """Replaces an activation by attributes of the fc before it::

    %a = fc(Input=%x, W=%w, Bias=%b)   ->  %y = fc(Input=%x, W=%w, Bias=%b)
    %y = gelu(X=%a) {approximate = true}       {activation = "gelu", activation_params = [1.0]}
    """

    name: ClassVar[str] = "fc_activation_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "fc_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """An fc takes one activation; a second one after it stays."""
        changes = [_fuse(node, ctx) for node in graph if is_activation(node)]
        return Outcome.of(any(changes))


def open_fc(node: Node, ops: Collection[str] = ("fc",)) -> Node | None:
    """The fc whose only reader is the activation `node`, if it has no activation yet."""
    fc = sole_producer(node.input("X"), ops)
    if fc is None or not is_plain_float(node.output("Out"), fc.output("Out")):
        return None
    if fc.op == "fc" and not is_plain_float(*fc.all_inputs()):
        return None
    return None if attributes(fc)["activation"] else fc


def _fuse(activation: Node, ctx: PassContext) -> bool:
    fc = open_fc(activation, ("fc", "quantized_fc", "stored_fc"))
    if fc is None or not can_apply(fc.op, activation, ctx):
        return False
    fc.attrs.update(fused_attrs(activation))
    take_output(fc, "Out", activation, "Out")
    return True
