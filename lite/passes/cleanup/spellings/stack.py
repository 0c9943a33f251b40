"""stack of one tensor → unsqueeze2."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.passes.cleanup.spelling import spelling
from lite.passes.match import attributes, become


@spelling("stack")
def stack(_: Graph, node: Node) -> bool:
    """Paddle writes an index of a tensor, the number of an iteration, as a stack of it."""
    if len(node.inputs["X"]) != 1:
        return False
    become(node, "unsqueeze2", {"X": node.inputs["X"]}, {"axes": [attributes(node).integer("axis")]})
    return True
