"""Replaces dynamic slices with constant ranges by slices."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import become
from lite.passes.registry import register_pass

_END = 2**31 - 1
"""Larger than any index."""


@register_pass
class DynamicSliceFoldPass(Pass):
    """Replaces a dynamic_slice with constant ranges and steps of 1 by a slice::

    %s = const int64[1] [2]
    %e = const int64[1] [5]
    %y = dynamic_slice(Input=%x, Starts=%s, Ends=%e)
        ->  %y = slice(Input=%x) {axes = [0], starts = [2], ends = [5]}
    """

    name: ClassVar[str] = "dynamic_slice_fold_pass"
    needs: ClassVar[tuple[str, ...]] = ("dynamic_slice",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Ranges with other steps stay."""
        changes = [_fold(node) for node in graph if node.op == "dynamic_slice"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fold(node: Node) -> bool:
    slots = [slot for slot in ("Starts", "Ends", "Axes", "Steps") if slot in node.inputs]
    constant = {slot: numbers for slot in slots if (numbers := _numbers(node, slot)) is not None}
    if len(constant) != len(slots) or set(constant.get("Steps", ())) - {1}:
        return False
    starts, ends = constant["Starts"], constant["Ends"]
    axes = constant.get("Axes", [*range(len(starts))])
    attrs = {"axes": [*axes], "starts": [*starts], "ends": [*ends]}
    become(node, "slice", {"Input": node.inputs["Input"]}, attrs)
    return True


def _numbers(node: Node, slot: str) -> list[int] | None:
    data = node.input(slot).data
    return None if data is None else [max(-_END, min(int(number), _END)) for number in data.reshape(-1)]
