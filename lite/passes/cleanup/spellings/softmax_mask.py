"""fused_softmax_mask → elementwise_add and softmax."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.passes.cleanup.spelling import spelling


@spelling("fused_softmax_mask")
def fused_softmax_mask(graph: Graph, node: Node) -> bool:
    """Both ops have kernels for all targets."""
    x, mask = node.input("X"), node.input("Mask")
    total = graph.new_value(graph.unique_name(f"{x.name}_masked"), like=node.output("Out"))
    graph.add_node("elementwise_add", {"X": [x], "Y": [mask]}, {"Out": [total]}, {"axis": -1}, before=node)
    for slot in list(node.inputs):
        node.set_input(slot, ())
    node.op, node.attrs = "softmax", {"axis": -1}
    node.set_input("X", [total])
    return True
