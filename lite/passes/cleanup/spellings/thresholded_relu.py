"""thresholded_relu with a value below the threshold → where."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ir.types import DType
from lite.passes.cleanup.spelling import spelling


@spelling("thresholded_relu")
def value_below(graph: Graph, node: Node) -> bool:
    """Another value than 0 below the threshold, which Paddle's attribute `value` has, takes a `where`."""
    value = node.attrs.get("value", 0.0)
    if not value:
        return False
    x, threshold = node.input("X"), node.attrs.get("threshold", 1.0)
    limit, other = (
        graph.new_value(graph.unique_name(f"{x.name}_{name}"), like=x) for name in ("limit", "value")
    )
    for target, number in ((limit, threshold), (other, value)):
        graph.add_node("fill_any_like", {"X": [x]}, {"Out": [target]}, {"value": number}, before=node)
    above = graph.new_value(graph.unique_name(f"{x.name}_above"), like=x)
    above.dtype = DType.BOOL
    graph.add_node("greater_than", {"X": [x], "Y": [limit]}, {"Out": [above]}, {}, before=node)
    node.op, node.attrs = "where", {}
    for slot, source in (("Condition", above), ("X", x), ("Y", other)):
        node.set_input(slot, [source])
    return True
