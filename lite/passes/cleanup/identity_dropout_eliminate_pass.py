"""Removes dropout that has no effect at inference."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass


@register_pass
class IdentityDropoutEliminatePass(Pass):
    """Removes a dropout that scales during training, because it returns its input at inference::

        %a = dropout(X=%x) {dropout_implementation = "upscale_in_train"}  ->  %y = relu(X=%x)
        %y = relu(X=%a)

    The other kind multiplies by ``1 - dropout_prob`` and is removed only if that is 1.  A dropout whose mask
    is read stays, and so does one whose result is quantised otherwise than its input.
    """

    name: ClassVar[str] = "identity_dropout_eliminate_pass"
    needs: ClassVar[tuple[str, ...]] = ("dropout",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Removes every such node."""
        found = [node for node in graph if node.op == "dropout" and _is_identity(node)]
        for node in found:
            graph.replace_uses(node.output("Out"), node.input("X"))
            graph.erase(node)
        return Outcome.of(bool(found))


def _is_identity(node: Node) -> bool:
    if node.output("Out").quant != node.input("X").quant:
        return False
    if any(value.is_used for slot, values in node.outputs.items() if slot != "Out" for value in values):
        return False
    attrs = attributes(node)
    return attrs["dropout_implementation"] == "upscale_in_train" or attrs["dropout_prob"] == 0
