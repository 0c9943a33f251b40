"""Ops between two reshapes, for passes that remove these."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ops import Trait, ops_with
from lite.passes.match import is_plain_float, sole_producer


def reshapes_around(graph: Graph, op: str) -> dict[Node, tuple[Node, Node]]:
    """The nodes of an op from X to Out that are between two reshapes, with the first and the last of these.

    Nothing else reads the values in between, and all are plain floats.
    """
    found = ((node, _around(node)) for node in graph if node.op == op)
    return {node: views for node, views in found if views is not None}


def _around(node: Node) -> tuple[Node, Node] | None:
    reshapes = ops_with(Trait.RESHAPE)
    first = sole_producer(node.input("X"), reshapes)
    last = node.output("Out").only_user
    if first is None or last is None or last.op not in reshapes:
        return None
    if any(len(list(each.all_outputs())) != 1 for each in (first, last)):
        return None
    values = (first.input("X"), node.input("X"), node.output("Out"), last.output("Out"))
    return (first, last) if is_plain_float(*values) else None
