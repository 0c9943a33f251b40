"""The elements of small tensors of a graph, of which some are known; see `partial_elements`."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.graph import Node, Value
from lite.ops import Meta
from lite.passes.match import attributes
from lite.plugin.kernel.partial_elements import MAX_ELEMENTS, BySlot, Elements, is_tracked, partial_results


def elements_of_node(node: Node, elements: Mapping[Value, Elements], metas: Mapping[Value, Meta]) -> BySlot:
    """The elements of a node's outputs that follow from the known elements of its inputs.

    `elements` has the partly known outputs of earlier nodes.  The result is empty for ops that are not
    tracked.  Raises `GraphError` or `ExecutionError` for an op that is not valid.
    """
    if node.op == "shape":
        meta = metas.get(node.input("Input"))
        return {} if meta is None or meta.shape is None else {"Out": [Elements.of_shape(meta.shape)]}
    if not is_tracked(node.op):
        return {}
    inputs = {
        slot: [elements_of(value, elements) for value in values] for slot, values in node.inputs.items()
    }
    known = {slot: [item for item in items if item is not None] for slot, items in inputs.items()}
    if any(len(known[slot]) < len(items) for slot, items in inputs.items()):
        return {}
    counts = {slot: len(values) for slot, values in node.outputs.items()}
    return partial_results(node.op, known, attributes(node), counts)


def elements_of(value: Value, elements: Mapping[Value, Elements]) -> Elements | None:
    """The known elements of a value: all elements of a small constant, or its entry in `elements`."""
    if value.data is None or value.data.size > MAX_ELEMENTS or value.quant is not None:
        return elements.get(value)
    return Elements.of(value.data)
