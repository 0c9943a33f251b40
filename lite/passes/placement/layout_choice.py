"""Choose the layout of nodes that support NCHW and NHWC, so that transposes move the fewest bytes.

The choice is a minimum cut between the nodes bound to NHWC and those bound to NCHW, as in the assignment
of modules to two processors (H. Stone, "Multiprocessor scheduling with the aid of network flow
algorithms", 1977).  The maximum flow is found along shortest augmenting paths (J. Edmonds, R. Karp,
"Theoretical improvements in algorithmic efficiency for network flow problems", 1972).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType, Layout
from lite.passes.placement.cast_insertion import is_image
from lite.passes.placement.layout_moves import Move

_UNKNOWN_SIZE = 64
"""The assumed size of an unknown dimension."""

_PER_OP = 4096
"""The cost of a transpose in addition to the bytes that it moves, in bytes."""

_NHWC, _NCHW = "nhwc", "nchw"
"""Source and sink of the network: the nodes bound to each layout."""


def choose_nhwc(graph: Graph, moves: Mapping[Node, Move]) -> Collection[Node]:
    """The nodes among `moves` that should have NHWC; the others should have NCHW.

    A value is transposed once if any of its readers has another layout than its writer.  Nodes that are
    neither bound to NHWC nor among `moves` have NCHW.
    """
    if not any(_is_bound(node) and node not in moves for node in graph):
        return ()
    network = _Network()
    values = [*graph.args, *(value for node in graph for value in node.all_outputs())]
    for value in values:
        if is_image(value) and (value.users or value.is_result):
            _add_value(network, value, moves)
    nchw = network.sink_side()
    return [node for node in moves if node not in nchw]


def _is_bound(node: Node) -> bool:
    return node.place is not None and node.place.layout is Layout.NHWC and not node.blocks


def _vertex(node: Node, moves: Mapping[Node, Move]) -> object:
    if node in moves:
        return node
    return _NHWC if _is_bound(node) else _NCHW


def _add_value(network: _Network, value: Value, moves: Mapping[Node, Move]) -> None:
    producer = value.producer
    writer: object = _NCHW
    if producer is not None and not (producer in moves and moves[producer].keeps_outputs):
        writer = _vertex(producer, moves)
    readers: set[object] = {_vertex(node, moves) for node in value.users}
    if value.is_result:
        readers.add(_NCHW)
    readers.discard(writer)
    if not readers:
        return
    cost = _cost(value)
    if len(readers) == 1:
        [reader] = readers
        network.add_edge(writer, reader, cost)
        network.add_edge(reader, writer, cost)
        return
    # One transpose serves all readers of the other layout, so each direction has a vertex of its own.
    to_nchw, to_nhwc = (value, _NCHW), (value, _NHWC)
    network.add_edge(writer, to_nchw, cost)
    network.add_edge(to_nhwc, writer, cost)
    for reader in readers:
        network.add_edge(to_nchw, reader, None)
        network.add_edge(reader, to_nhwc, None)


def _cost(value: Value) -> int:
    size = (value.dtype or DType.FLOAT32).numpy.itemsize
    for dim in value.shape or (_UNKNOWN_SIZE,) * 4:
        size *= max(dim, 1) if isinstance(dim, int) else _UNKNOWN_SIZE
    return size + _PER_OP


class _Network:
    """A flow network from `_NHWC` to `_NCHW`, as the residual capacities of its edges."""

    _INFINITE = 1 << 60

    def __init__(self) -> None:
        self._residual: dict[object, dict[object, int]] = {_NHWC: {}, _NCHW: {}}

    def add_edge(self, start: object, end: object, capacity: int | None) -> None:
        """Add an edge, or capacity to an edge; None is infinite."""
        forward, backward = self._residual.setdefault(start, {}), self._residual.setdefault(end, {})
        forward[end] = forward.get(end, 0) + (self._INFINITE if capacity is None else capacity)
        backward.setdefault(start, 0)

    def sink_side(self) -> Collection[object]:
        """The vertices on the side of `_NCHW` in the minimum cut that has the fewest there."""
        while path := self._augmenting_path():
            flow = min(self._residual[a][b] for a, b in path)
            for a, b in path:
                self._residual[a][b] -= flow
                self._residual[b][a] += flow
        return self._leading_to(_NCHW)

    def _augmenting_path(self) -> list[tuple[object, object]]:
        """The edges of a shortest path with residual capacity; empty if there is no such path."""
        before: dict[object, object] = {_NHWC: _NHWC}
        queue: deque[object] = deque([_NHWC])
        while queue and _NCHW not in before:
            a = queue.popleft()
            for b, capacity in self._residual[a].items():
                if capacity > 0 and b not in before:
                    before[b] = a
                    queue.append(b)
        if _NCHW not in before:
            return []
        edges: list[tuple[object, object]] = []
        end: object = _NCHW
        while end is not _NHWC:
            edges.append((before[end], end))
            end = before[end]
        return edges

    def _leading_to(self, end: object) -> set[object]:
        """The vertices from which a path with residual capacity leads to `end`."""
        reaching: set[object] = {end}
        queue: deque[object] = deque(reaching)
        while queue:
            b = queue.popleft()
            for a in self._residual[b]:
                if a not in reaching and self._residual[a].get(b, 0) > 0:
                    reaching.add(a)
                    queue.append(a)
        return reaching
