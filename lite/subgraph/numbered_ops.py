"""The ops of a plan as numbers: what the planners search over."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from lite.errors import GraphError

Region = tuple[str, list[str]]
"""A device and the names of its ops, in an order in which they can run."""


class _NamedOp(TypedDict):
    name: str
    inputs: Sequence[str]
    supported_by: Sequence[str]


class RegionNode(_NamedOp, total=False):
    """An op: a unique name, the names of what it reads (others than ops' are inputs of the graph), and
    the devices that can run it.

    For placement "cost" also the seconds that it takes on each device, and the bytes of its outputs.
    """

    cost: Mapping[str, float]
    bytes: int


class NumberedOps:
    """Ops numbered in running order; among those that could run, by name.

    The order in which they were given makes no difference.  `readers` and `sources` hold each op once.
    Raises `GraphError` for a name given twice and for a cycle.
    """

    def __init__(self, nodes: Iterable[RegionNode]) -> None:
        self.nodes = _in_running_order(sorted(nodes, key=lambda node: node["name"]))
        self.names = [node["name"] for node in self.nodes]
        number = {name: n for n, name in enumerate(self.names)}
        self.sources = [
            [number[source] for source in dict.fromkeys(node["inputs"]) if source in number]
            for node in self.nodes
        ]
        self.readers = _reversed(self.sources)

    def __len__(self) -> int:
        return len(self.nodes)


def _in_running_order(nodes: Sequence[RegionNode]) -> list[RegionNode]:
    number = {node["name"]: n for n, node in enumerate(nodes)}
    if len(number) != len(nodes):
        twice = Counter(node["name"] for node in nodes).most_common(1)[0][0]
        raise GraphError(f"two ops are called {twice!r}; names must be unique")
    sources = [
        [number[source] for source in dict.fromkeys(node["inputs"]) if source in number] for node in nodes
    ]
    readers = _reversed(sources)
    waiting = [len(found) for found in sources]
    ready = [n for n, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        n = heapq.heappop(ready)
        order.append(n)
        for reader in readers[n]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heapq.heappush(ready, reader)
    if len(order) < len(nodes):
        stuck = [node["name"] for node, count in zip(nodes, waiting, strict=True) if count]
        raise GraphError(f"the ops form a cycle; among them or behind it: {', '.join(stuck[:5])}")
    return [nodes[n] for n in order]


def _reversed(sources: Sequence[Sequence[int]]) -> list[list[int]]:
    readers: list[list[int]] = [[] for _ in sources]
    for n, found in enumerate(sources):
        for source in found:
            readers[source].append(n)
    return readers
