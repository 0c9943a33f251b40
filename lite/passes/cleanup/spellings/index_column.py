"""lookup_table and one_hot, whose indices have a last dimension of 1 → squeeze2, then the newer op."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ops import get_schema
from lite.passes.cleanup.spelling import spelling

_INDICES = {"lookup_table": "Ids", "one_hot": "X"}


@spelling(*_INDICES)
def index_column(graph: Graph, node: Node) -> bool:
    """The newer ops take indices of any shape; attributes and other slots are equal."""
    canonical, slot = get_schema(node.op).canonical, _INDICES[node.op]
    assert canonical is not None
    column = node.input(slot)
    squeezed = graph.new_value(graph.unique_name(f"{column.name}_squeezed"), like=column)
    squeezed.shape = None if column.shape is None else column.shape[:-1]
    graph.add_node("squeeze2", {"X": [column]}, {"Out": [squeezed]}, {"axes": [-1]}, before=node)
    node.set_input(slot, [squeezed])
    node.op = canonical.op
    return True
