"""Paddle-Lite's detector: neighbours that a device takes are joined unless another path leads around.

Paddle-Lite joins an op with an op that reads from it when a depth-first search backwards from that
reader's other sources does not come back to the first op, and goes on with the joined op until nothing
more can be joined; then with the next one, in running order.  The same regions are found here by one
walk forwards for each: what is reached through an op that cannot join can not join either.  A running
order of the joined ops is kept on the way, so that a walk ends where no reader is undecided.  That is
n log n in practice; where many readers are far away and come to nothing, a walk passes all in between.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from lite.subgraph.numbered_ops import NumberedOps, Region, RegionNode

_HOST = -1


def reverse_dfs_regions(nodes: Iterable[RegionNode], devices: str | Sequence[str]) -> list[Region]:
    """Regions that cover every op which a device supports, in an order in which they can run.

    Several devices come one after the other, each with what those before left.  The regions hang
    together and are as large as joining neighbours makes them; there may be fewer, see `plan_regions`.
    Nodes may come in any order.

    Raises `GraphError` for a name given twice and for a cycle.
    """
    graph = NumberedOps(nodes)
    clusters = _Clusters(graph)
    wanted = (devices,) if isinstance(devices, str) else tuple(dict.fromkeys(devices))
    for device, name in enumerate(wanted):
        found = [
            n
            for n, node in enumerate(graph.nodes)
            if clusters.device[n] == _HOST and name in node["supported_by"]
        ]
        for n in found:
            clusters.device[n] = device
        for n in found:
            if clusters.find(n) == n:
                clusters.grow(n)
    return [
        (wanted[clusters.device[n]], [graph.names[member] for member in sorted(clusters.members[n])])
        for n in clusters.order
        if clusters.device[n] != _HOST
    ]


class _Clusters:
    """Ops that were joined count as one, known by the first of them."""

    def __init__(self, graph: NumberedOps) -> None:
        count = len(graph)
        self.device = [_HOST] * count
        self.members = [[n] for n in range(count)]
        self.order = _Order(count)
        self._readers = [list(readers) for readers in graph.readers]
        self._joined_to = list(range(count))

    def find(self, n: int) -> int:
        """The cluster of an op."""
        joined_to = self._joined_to
        while joined_to[n] != n:
            joined_to[n] = joined_to[joined_to[n]]
            n = joined_to[n]
        return n

    def grow(self, seed: int) -> None:
        """Join to a cluster all that its device takes and that no path around it leads to.

        Whatever the cluster leads to is visited in running order, so that all paths to it are known.
        """
        position = self.order.position
        around: dict[int, bool] = {}
        """Whether a path around leads there, for what was reached."""
        queue: list[tuple[int, int]] = []
        undecided = 0
        joined: list[int] = []
        passed: list[int] = []
        between = 0
        for reader in self.readers(seed):
            around[reader] = False
            heapq.heappush(queue, (position[reader], reader))
            undecided += 1
        while undecided:
            n = heapq.heappop(queue)[1]
            undecided -= not around[n]
            joins = not around[n] and self.device[n] == self.device[seed]
            if joins:
                joined.append(n)
                between = len(passed)
            else:
                passed.append(n)
            for reader in self.readers(n):
                if reader not in around:
                    around[reader] = not joins
                    heapq.heappush(queue, (position[reader], reader))
                    undecided += joins
                elif not joins and not around[reader]:
                    around[reader] = True
                    undecided -= 1
        if joined:
            self._join(seed, joined)
            self.order.join(seed, joined, passed[:between])

    def readers(self, n: int) -> list[int]:
        """The clusters that read from one, each once."""
        found = dict.fromkeys(map(self.find, self._readers[n]))
        found.pop(n, None)
        self._readers[n] = list(found)
        return self._readers[n]

    def _join(self, seed: int, joined: Iterable[int]) -> None:
        for n in joined:
            self._joined_to[n] = seed
            self.members[seed] += self.members[n]
            self._readers[seed] += self._readers[n]
            self.members[n] = []
            self._readers[n] = []


class _Order:
    """A running order of clusters as a ring, with positions that compare as the order does."""

    _GAP = 1 << 256

    def __init__(self, count: int) -> None:
        self._end = count
        """Stands before the first and behind the last."""
        self._next = [*range(1, count + 1), 0]
        self._previous = [count, *range(count)]
        self.position = [n * self._GAP for n in range(count + 1)]

    def __iter__(self) -> Iterator[int]:
        n = self._next[self._end]
        while n != self._end:
            yield n
            n = self._next[n]

    def join(self, first: int, joined: Sequence[int], between: Sequence[int]) -> None:
        """Put `first` in the place of the last one of `joined`, the others away, and behind it `between`."""
        self._insert(first, joined[-1])
        for n in joined:
            self._take_out(n)
        last = first
        for n in between:
            self._insert(n, last)
            last = n
        self._number([first, *between])

    def _insert(self, n: int, before: int) -> None:
        """Move one behind another."""
        self._take_out(n)
        after = self._next[before]
        self._previous[n], self._next[n] = before, after
        self._next[before] = self._previous[after] = n

    def _take_out(self, n: int) -> None:
        before, after = self._previous[n], self._next[n]
        self._next[before], self._previous[after] = after, before

    def _number(self, moved: Sequence[int]) -> None:
        """Give positions to neighbours, from what stands before and behind them."""
        before, after = self._previous[moved[0]], self._next[moved[-1]]
        low = -self._GAP if before == self._end else self.position[before]
        high = self.position[after]
        if after == self._end:
            high = low + self._GAP * (len(moved) + 1)
        step = (high - low) // (len(moved) + 1)
        if step == 0:
            self.position[self._end] = 0
            for place, n in enumerate(self):
                self.position[n] = place * self._GAP
            return
        for place, n in enumerate(moved, 1):
            self.position[n] = low + place * step
