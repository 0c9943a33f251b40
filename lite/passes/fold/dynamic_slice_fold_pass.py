"""Slices whose ranges turned out to be known."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import become
from lite.passes.registry import register_pass

_END = 2**31 - 1
"""Beyond any axis."""


@register_pass
class DynamicSliceFoldPass(Pass):
    """A dynamic_slice with constant ranges of steps of 1 is a slice::

    %s = const int64[1] [2]
    %e = const int64[1] [5]
    %y = dynamic_slice(Input=%x, Starts=%s, Ends=%e)
        ->  %y = slice(Input=%x) {axes = [0], starts = [2], ends = [5]}
    """

    name: ClassVar[str] = "dynamic_slice_fold_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Leaves other steps alone."""
        changes = [_fold(node) for node in graph if node.op == "dynamic_slice"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fold(node: Node) -> bool:
    found = {
        slot: _numbers(node, slot) for slot in ("Starts", "Ends", "Axes", "Steps") if slot in node.inputs
    }
    known = {slot: numbers for slot, numbers in found.items() if numbers is not None}
    if len(known) != len(found) or set(known.get("Steps", ())) - {1}:
        return False
    starts, ends = known["Starts"], known["Ends"]
    axes = known.get("Axes", [*range(len(starts))])
    attrs = {"axes": [*axes], "starts": [*starts], "ends": [*ends]}
    become(node, "slice", {"Input": node.inputs["Input"]}, attrs)
    return True


def _numbers(node: Node, slot: str) -> list[int] | None:
    data = node.input(slot).data
    return None if data is None else [max(-_END, min(int(number), _END)) for number in data.reshape(-1)]
