"""matmul → matmul_v2, and scale if alpha is not 1."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ir.program import AttrValue
from lite.passes.cleanup.spelling import spelling


@spelling("matmul")
def matmul(graph: Graph, node: Node) -> bool:
    """Both operands must have two or more dimensions: matmul and matmul_v2 treat vectors differently.

    `head_number` above 1 splits the operands' columns, which matmul_v2 cannot do.
    """
    if any(value.shape is None or len(value.shape) < 2 for value in node.all_inputs()):
        return False
    if node.attrs.get("head_number", 1) != 1:
        return False
    alpha = node.attrs.get("alpha", 1.0)
    attrs: dict[str, AttrValue] = {
        "trans_x": bool(node.attrs.get("transpose_X", False)),
        "trans_y": bool(node.attrs.get("transpose_Y", False)),
    }
    if alpha == 1:
        node.op, node.attrs = "matmul_v2", attrs
        return True
    out = node.output("Out")
    product = graph.new_value(graph.unique_name(f"{out.name}_product"), like=out)
    graph.add_node("matmul_v2", node.inputs, {"Out": [product]}, attrs, before=node)
    for slot in list(node.inputs):
        node.set_input(slot, ())
    node.op, node.attrs = "scale", {"scale": alpha}
    node.set_input("X", [product])
    return True
