"""reduce_all and reduce_any of numbers → cast, then the same op."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ir.types import DType
from lite.passes.cleanup.spelling import spelling


@spelling("reduce_all", "reduce_any")
def truth_of_numbers(graph: Graph, node: Node) -> bool:
    """Numbers are compared with 0 before, by a cast."""
    x = node.input("X")
    if x.dtype is None or x.dtype is DType.BOOL:
        return False
    truths = graph.new_value(graph.unique_name(f"{x.name}_truths"), like=x)
    truths.dtype = DType.BOOL
    graph.add_node("cast", {"X": [x]}, {"Out": [truths]}, {"out_dtype": DType.BOOL.code}, before=node)
    node.set_input("X", [truths])
    return True
