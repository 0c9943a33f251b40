"""Removes two inverse transpositions around softmax."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.cleanup.redundant_transpose_eliminate_pass import permutation
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@register_pass
class TransposeSoftmaxTransposeFusePass(Pass):
    """Replaces inverse transpositions around a softmax by another axis of the softmax::

    %a = transpose2(X=%x) {axis = [0, 2, 3, 1]}
    %b = softmax(X=%a) {axis = -1}                ->  %y = softmax(X=%x) {axis = 1}
    %y = transpose2(X=%b) {axis = [0, 3, 1, 2]}
    """

    name: ClassVar[str] = "transpose_softmax_transpose_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("transpose2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph if node.op == "softmax"]
        return Outcome.of(any(changes))


def _fuse(softmax: Node) -> bool:
    first = sole_producer(softmax.input("X"), ("transpose2",))
    last = softmax.output("Out").only_user
    if first is None or last is None or last.op != "transpose2" or len(list(last.all_outputs())) != 1:
        return False
    there, back = permutation(first), permutation(last)
    values = (first.input("X"), softmax.input("X"), softmax.output("Out"), last.output("Out"))
    if [there[axis] for axis in back] != list(range(len(there))) or not there or not is_plain_float(*values):
        return False
    axis = there[attributes(softmax).integer("axis")]
    become(last, "softmax", {"X": [first.input("X")]}, {"axis": axis})
    return True
