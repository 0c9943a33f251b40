"""An order of the nodes in which regions start early, so that the host has work while they run."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Mapping, Sequence

from lite.ir.graph import SUBGRAPH, Graph, Node
from lite.ops.node_work import node_macs, value_bytes

LEAST_SECONDS = 1e-4
"""What a region costs to hand to another thread and back, with a margin."""

MOST_NODES = 10_000
"""In larger graphs, regions always start early: the estimate takes a bit for each pair of nodes."""

MACS_PER_SECOND, BYTES_PER_SECOND = 2e10, 1e10
"""Rough speeds of one core."""


def early_regions(graph: Graph, runs_beside: Callable[[str], bool]) -> list[Node]:
    """The nodes in an order that starts regions early; without such regions, in the present order.

    Regions on a device for which `runs_beside` holds run beside the host.  Greedy list scheduling (R. Graham,
    "Bounds on multiprocessing timing anomalies", 1969): ops that a region waits for come first, and those
    that wait for a region come when the host has nothing else to do.  Among equals, and for effects, the
    present order holds.

    An early start keeps more values in memory.  So the present order also stays where less than
    `LEAST_SECONDS` of other work could run beside the regions, as far as shapes are known.
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
    if not _is_worth_it(nodes, beside, readers):
        return nodes
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


def _is_worth_it(
    nodes: Sequence[Node], beside: Collection[Node], readers: Mapping[Node, Sequence[Node]]
) -> bool:
    """Whether there is enough work that neither needs a region beside it nor is needed by that region."""
    if len(nodes) > MOST_NODES:
        return True
    number = {node: n for n, node in enumerate(nodes)}
    regions = [number[node] for node in nodes if node in beside]
    after = [0] * len(nodes)
    """By node, all that depend on it, as bits."""
    for n in reversed(range(len(nodes))):
        for reader in readers[nodes[n]]:
            after[n] |= after[number[reader]] | 1 << number[reader]
    seconds = 0.0
    for n, node in enumerate(nodes):
        if any(n != r and not after[r] >> n & 1 and not after[n] >> r & 1 for r in regions):
            work = _seconds(node)
            seconds += math.inf if work is None else work
    return seconds >= LEAST_SECONDS


def _seconds(node: Node) -> float | None:
    """The estimated time of a node on one core; None for products of unknown sizes, and control flow."""
    if node.op == SUBGRAPH:
        inner = [_seconds(each) for block in node.blocks for each in block]
        return None if None in inner else sum(each for each in inner if each is not None)
    macs = node_macs(node)
    if macs is None or node.blocks:
        return None
    size = sum(value_bytes(value) or 0 for value in (*node.all_inputs(), *node.all_outputs()))
    return macs / MACS_PER_SECOND + size / BYTES_PER_SECOND
