"""pad2d and pad3d with paddings that are computed in the run → pad_nd.

The schemas of pad2d and pad3d translate constant paddings.
"""

from __future__ import annotations

import numpy as np

from lite.ir.graph import Graph, Node
from lite.ops import get_schema
from lite.passes.cleanup.attribute_slots import constant_slots_to_attributes
from lite.passes.cleanup.spelling import spelling


@spelling("pad2d", "pad3d")
def pad(graph: Graph, node: Node) -> bool:
    """Reorder the paddings: pairs of an axis become all paddings before, then all paddings after::

    %y = pad2d(X=%x, Paddings=%p)    ->    %q = gather(X=%p, Index=[0, 2, 1, 3])
                                           %y = pad_nd(X=%x, Paddings=%q)
    """
    schema = get_schema(node.op)
    constant_slots_to_attributes(node, schema)
    if "Paddings" not in node.inputs or schema.canonical is None or schema.canonical.attrs is None:
        return False
    paddings = node.input("Paddings")
    attrs = schema.canonical.attrs(schema.attr_values(node.attrs))
    count = 4 if node.op == "pad2d" else 6
    order = np.array([*range(0, count, 2), *range(1, count, 2)], np.int32)
    index = graph.add_constant(f"{paddings.name}_order", order)
    ordered = graph.new_value(graph.unique_name(f"{paddings.name}_ordered"), like=paddings)
    inputs = {"X": [paddings], "Index": [index]}
    graph.add_node("gather", inputs, {"Out": [ordered]}, {"axis": 0}, before=node)
    node.op, node.attrs = "pad_nd", {**attrs, "paddings": []}
    node.set_input("Paddings", [ordered])
    return True
