"""Replace the ops of a region by one ``subgraph`` op whose nested graph holds them."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.clone import add_arg_like, copy_nodes
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.running_order import running_order


def rewrite(graph: Graph, regions: Sequence[tuple[str, int, Sequence[Node]]]) -> list[Node]:
    """Replace each region, given as device, number and ops in running order, by a node; return the nodes.

    ::

        %b = relu(X=%a)                 ->  %c = subgraph(Inputs=%a) {device="npu", region=1}
        %c = tanh(X=%b)                       graph npu_1(%a) {
                                                %b = relu(X=%a)
                                                %c = tanh(X=%b)
                                                return %c
                                              }

    Inputs and outputs of a region are listed once each, in the order of their ids; a region has its own
    copies of the constants that it reads.  Contracting the regions must leave no cycle: the nodes of the
    graph are reordered around them.
    """
    region_nodes = [_extract(graph, device, number, nodes) for device, number, nodes in regions]
    if region_nodes:
        graph.drop_unused_constants()
        graph.reorder(running_order(graph))
    return region_nodes


def boundary(nodes: Sequence[Node]) -> tuple[list[Value], list[Value]]:
    """The inputs and outputs of ops as a region; constants are not inputs."""
    inside = set(nodes)
    read = {value for node in nodes for value in node.all_inputs() if value.data is None}
    inputs = [value for value in read if value.producer not in inside]
    outputs = [
        value
        for node in nodes
        for value in node.all_outputs()
        if value.is_result or any(user not in inside for user in value.users)
    ]
    return sorted(inputs, key=_id), sorted(outputs, key=_id)


def _id(value: Value) -> int:
    return value.id


def _extract(graph: Graph, device: str, number: int, nodes: Sequence[Node]) -> Node:
    inputs, outputs = boundary(nodes)
    inner = Graph(graph.ids, f"{device}_{number}")
    values = {value: add_arg_like(inner, value) for value in inputs}
    copy_nodes(nodes, inner, values)
    inner.set_results((values[value] for value in outputs), (value.label for value in outputs))
    before = nodes[-1].next
    kept = set(outputs)
    for node in reversed(nodes):
        for slot, written in node.outputs.items():
            for value in kept.intersection(written):
                value.producer = None
            node.outputs[slot] = [value for value in written if value not in kept]
        graph.erase(node)
    region = graph.add_node(
        SUBGRAPH,
        {"Inputs": inputs},
        {"Outputs": outputs},
        {"device": device, "region": number},
        before=before if before is not None and before.graph is graph else None,
    )
    region.blocks.append(inner)
    return region
