"""Replaces arithmetic with one number by scale."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import affine
from lite.passes.match import become
from lite.passes.registry import register_pass


@register_pass
class ScalarElementwiseToScalePass(Pass):
    """Replaces sums, differences, products and quotients with a constant of one element by scale::

        %c = const float32[1] [2.0]                  ->  %y = scale(X=%x) {scale = 2.0, bias = 0.0}
        %y = elementwise_mul(X=%c, Y=%x)

    An op that multiplies by 1 or adds 0 is removed.
    """

    name: ClassVar[str] = "scalar_elementwise_to_scale_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Integer arithmetic stays, and so do constants that change the shape of the other operand."""
        changes = [_rewrite(graph, node) for node in graph if node.op.startswith("elementwise_")]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _rewrite(graph: Graph, node: Node) -> bool:
    found = affine(node)
    if found is None:
        return False
    if found.factor == 1 and found.is_product:
        graph.replace_uses(node.output("Out"), found.x)
        graph.erase(node)
    else:
        become(node, "scale", {"X": [found.x]}, {"scale": found.factor, "bias": found.shift})
    return True
