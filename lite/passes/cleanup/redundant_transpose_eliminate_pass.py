"""Merges transpositions in sequence, and removes those without effect."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.program import AttrValue
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, erase_unread, producer
from lite.passes.registry import register_pass


@register_pass
class RedundantTransposeEliminatePass(Pass):
    """Merges a transposition of a transposition into one, or none::

    %a = transpose2(X=%x) {axis = [0, 2, 1]}  ->  %y = transpose2(X=%x) {axis = [2, 0, 1]}
    %y = transpose2(X=%a) {axis = [1, 0, 2]}
    """

    name: ClassVar[str] = "redundant_transpose_eliminate_pass"
    needs: ClassVar[tuple[str, ...]] = ("transpose2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The first one stays if another node reads it; transpositions of quantised values stay."""
        changes = [_simplify(graph, node) for node in graph if node.op == "transpose2"]
        return Outcome.of(any(changes))


def permutation(transpose: Node) -> list[int]:
    """The axes of the input in the order of the output, none of them negative."""
    axes = attributes(transpose).integers("axis")
    return [axis % len(axes) for axis in axes]


def _simplify(graph: Graph, last: Node) -> bool:
    value, out, axes = last.input("X"), last.output("Out"), permutation(last)
    if out.quant is not None or value.quant is not None or len(list(last.all_outputs())) != 1:
        return False
    first = producer(value, ("transpose2",))
    if first is not None and first.input("X").quant is None:
        before = permutation(first)
        axes = [before[axis] for axis in axes]
        source = first.input("X")
    elif axes == list(range(len(axes))):
        source = value
    else:
        return False
    if axes == list(range(len(axes))):
        graph.replace_uses(out, source)
        erase_unread([out])
    else:
        merged: AttrValue = [*axes]
        last.set_input("X", [source])
        last.attrs["axis"] = merged
        erase_unread([value])
    return True
