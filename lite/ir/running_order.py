"""A topological order of the nodes of a graph."""

from __future__ import annotations

import heapq

from lite.ir.graph import Graph, Node


def running_order(graph: Graph) -> list[Node]:
    """The nodes in a topological order that keeps the present order as far as possible.

    Effects keep their order.  By A. Kahn, "Topological sorting of large networks", 1962, with a heap of
    ready nodes.
    """
    position = {node: n for n, node in enumerate(graph)}
    readers: dict[Node, list[Node]] = {node: [] for node in position}
    waiting: dict[Node, int] = dict.fromkeys(position, 0)
    for before, after in graph.effect_edges():
        readers[before].append(after)
        waiting[after] += 1
    for node in position:
        for producer in {value.producer for value in node.all_inputs()}:
            if producer is not None:
                readers[producer].append(node)
                waiting[node] += 1
    nodes = list(position)
    ready = [position[node] for node, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order: list[Node] = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        order.append(node)
        for reader in readers[node]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heapq.heappush(ready, position[reader])
    return order
