"""An order of the nodes in which regions start early, so that the host has work while they run."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from lite.ir.graph import SUBGRAPH, Graph, Node


def early_regions(graph: Graph, runs_beside: Callable[[str], bool]) -> list[Node]:
    """The nodes in an order that starts regions early; without such regions, in the present order.

    Regions on a device for which `runs_beside` holds run beside the host.  Greedy list scheduling (R. Graham,
    "Bounds on multiprocessing timing anomalies", 1969): ops that a region waits for come first, and those
    that wait for a region come when the host has nothing else to do.  Among equals, and for effects, the
    present order holds.
    """
    nodes = list(graph)
    position = {node: n for n, node in enumerate(nodes)}
    beside = {node for node in nodes if node.op == SUBGRAPH and runs_beside(str(node.attrs["device"]))}
    if not beside:
        return nodes
    readers: dict[Node, list[Node]] = {node: [] for node in nodes}
    waiting = dict.fromkeys(nodes, 0)
    sources = {node: {value.producer for value in node.all_inputs()} for node in nodes}
    for before, after in graph.effect_edges():
        sources[after].add(before)
    for node in nodes:
        for producer in sources[node]:
            if producer is not None:
                readers[producer].append(node)
                waiting[node] += 1
    leads: set[Node] = set()
    for node in reversed(nodes):
        if node in beside or not leads.isdisjoint(readers[node]):
            leads.add(node)
    ready = [(node not in leads, position[node]) for node in nodes if not waiting[node]]
    heapq.heapify(ready)
    running: list[Node] = []
    order: list[Node] = []

    def release(node: Node) -> None:
        for reader in readers[node]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, (reader not in leads, position[reader]))

    while ready or running:
        if not ready:
            release(running.pop(0))
            continue
        node = nodes[heapq.heappop(ready)[1]]
        order.append(node)
        if node in beside:
            running.append(node)
        else:
            release(node)
    return order
