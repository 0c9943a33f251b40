"""hard_sigmoid from its parts."""

from __future__ import annotations

import math
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import affine, affine_producer
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass


@register_pass
class HardSigmoidFusePass(Pass):
    """A multiple of x plus a number, cut off below 0 and above so that 1 is the most, is hard_sigmoid::

        %a = scale(X=%x) {bias = 3.0}                      ->  %y = hard_sigmoid(X=%x)
        %b = clip(X=%a) {min = 0.0, max = 6.0}                     {slope = 0.16667, offset = 0.5}
        %y = scale(X=%b) {scale = 0.16667}

    However the numbers are spelled; relu6 cuts off, too.  Between 0 and 1 no scale need follow.
    """

    name: ClassVar[str] = "hard_sigmoid_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Leaves the parts alone where anything else reads what is in between."""
        changes = [_fuse(node) for node in graph if ceiling(node) is not None]
        return Outcome.of(any(changes))


def ceiling(node: Node) -> float | None:
    """The number at which a node cuts off its input above, if it does so below at 0."""
    if (
        node.op not in ("clip", "relu6")
        or set(node.inputs) != {"X"}
        or not is_plain_float(node.input("X"), node.output("Out"))
    ):
        return None
    attrs = attributes(node)
    if node.op == "relu6":
        return attrs.real("threshold")
    return attrs.real("max") if attrs["min"] == 0 else None


def _fuse(cut: Node) -> bool:
    top, before = ceiling(cut), affine_producer(cut.input("X"))
    if top is None or before is None:
        return False
    last, factor = cut, 1.0
    if top != 1:
        behind = cut.output("Out").only_user
        found = None if behind is None else affine(behind)
        if behind is None or found is None or not found.is_product:
            return False
        last, factor = behind, found.factor
    if not math.isclose(top * factor, 1.0, rel_tol=1e-6):
        return False
    attrs = {"slope": before.factor * factor, "offset": before.shift * factor}
    become(last, "hard_sigmoid", {"X": [before.x]}, attrs)
    return True
