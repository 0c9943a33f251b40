"""Fuses the parts of hard_sigmoid."""

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
    """Replaces ``min(max(slope · x + offset, 0), 1)`` by hard_sigmoid::

        %a = scale(X=%x) {bias = 3.0}                      ->  %y = hard_sigmoid(X=%x)
        %b = clip(X=%a) {min = 0.0, max = 6.0}                     {slope = 0.16667, offset = 0.5}
        %y = scale(X=%b) {scale = 0.16667}

    The numbers may have any spelling, and relu6 may be the clip.  A clip between 0 and 1 needs no scale.
    """

    name: ClassVar[str] = "hard_sigmoid_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("clip", "relu6")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph if ceiling(node) is not None]
        return Outcome.of(any(changes))


def ceiling(node: Node) -> float | None:
    """The upper limit of a node that clips its input at 0 below; None for other nodes."""
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
        after = cut.output("Out").only_user
        found = None if after is None else affine(after)
        if after is None or found is None or not found.is_product:
            return False
        last, factor = after, found.factor
    if not math.isclose(top * factor, 1.0, rel_tol=1e-6):
        return False
    attrs = {"slope": before.factor * factor, "offset": before.shift * factor}
    become(last, "hard_sigmoid", {"X": [before.x]}, attrs)
    return True
