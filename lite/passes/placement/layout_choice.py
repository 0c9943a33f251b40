"""Which of the nodes that may have either layout get NHWC, so that the least is turned."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Layout
from lite.passes.placement.cast_insertion import is_image
from lite.passes.placement.layout_moves import Move

_UNKNOWN_SIZE = 64
"""What a dimension counts that is not known."""

_PER_OP = 1024
"""What an op costs beside the elements that it moves."""

_NHWC, _NCHW = "nhwc", "nchw"
"""Ends of the network: nodes bound to a layout."""


def choose_nhwc(graph: Graph, moves: Mapping[Node, Move]) -> Collection[Node]:
    """The nodes among `moves` that shall have NHWC; the others, and what is bound to none, have NCHW.

    A value is turned once if one of its readers has another layout than what writes it.  The elements
    that are turned in all are least where the nodes are divided by a minimum cut.
    """
    if not any(_is_bound(node) for node in graph):
        return ()
    network = _Network()
    values = [*graph.args, *(value for node in graph for value in node.all_outputs())]
    for value in values:
        if is_image(value) and (value.users or value.is_result):
            _add_value(network, value, moves)
    held = network.cut()
    return [node for node in moves if node not in held]


def _is_bound(node: Node) -> bool:
    return node.place is not None and node.place.layout is Layout.NHWC and not node.blocks


def _end(node: Node, moves: Mapping[Node, Move]) -> object:
    if _is_bound(node):
        return _NHWC
    return node if node in moves else _NCHW


def _add_value(network: _Network, value: Value, moves: Mapping[Node, Move]) -> None:
    producer = value.producer
    writer: object = _NCHW
    if producer is not None and not (producer in moves and moves[producer].stays):
        writer = _end(producer, moves)
    readers: set[object] = {_end(node, moves) for node in value.users}
    if value.is_result:
        readers.add(_NCHW)
    readers.discard(writer)
    if not readers:
        return
    cost = _cost(value)
    if len(readers) == 1:
        [reader] = readers
        network.join(writer, reader, cost)
        network.join(reader, writer, cost)
        return
    # Turned once, however many readers want it so.
    to_nchw, to_nhwc = (value, _NCHW), (value, _NHWC)
    network.join(writer, to_nchw, cost)
    network.join(to_nhwc, writer, cost)
    for reader in readers:
        network.join(to_nchw, reader, None)
        network.join(reader, to_nhwc, None)


def _cost(value: Value) -> int:
    size = 1
    for dim in value.shape or (_UNKNOWN_SIZE,) * 4:
        size *= max(dim, 1) if isinstance(dim, int) else _UNKNOWN_SIZE
    return size + _PER_OP


class _Network:
    """A flow network between the two ends; capacities of edges, None for one that cannot be full."""

    def __init__(self) -> None:
        self._room: dict[object, dict[object, int]] = {_NHWC: {}, _NCHW: {}}
        self._endless = 1 << 60

    def join(self, start: object, end: object, capacity: int | None) -> None:
        """Add an edge, or to its capacity."""
        forward, backward = self._room.setdefault(start, {}), self._room.setdefault(end, {})
        forward[end] = forward.get(end, 0) + (self._endless if capacity is None else capacity)
        backward.setdefault(start, 0)

    def cut(self) -> Collection[object]:
        """What is on the side of NCHW in a minimum cut, as little as possible."""
        while True:
            path = self._path()
            if not path:
                break
            flow = min(self._room[a][b] for a, b in path)
            for a, b in path:
                self._room[a][b] -= flow
                self._room[b][a] += flow
        return self._leading_to(_NCHW)

    def _path(self) -> list[tuple[object, object]]:
        """The edges of a shortest way with room left, none where there is no way."""
        came: dict[object, object] = {_NHWC: _NHWC}
        queue: deque[object] = deque([_NHWC])
        while queue and _NCHW not in came:
            a = queue.popleft()
            for b, room in self._room[a].items():
                if room > 0 and b not in came:
                    came[b] = a
                    queue.append(b)
        if _NCHW not in came:
            return []
        edges: list[tuple[object, object]] = []
        end: object = _NCHW
        while end is not _NHWC:
            edges.append((came[end], end))
            end = came[end]
        return edges

    def _leading_to(self, end: object) -> set[object]:
        """What has a way with room left to `end`."""
        found: set[object] = {end}
        queue: deque[object] = deque(found)
        while queue:
            b = queue.popleft()
            for a in self._room[b]:
                if a not in found and self._room[a].get(b, 0) > 0:
                    found.add(a)
                    queue.append(a)
        return found
