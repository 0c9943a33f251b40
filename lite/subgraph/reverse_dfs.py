"""Paddle-Lite's detector: join neighbouring ops of a device unless another path connects them.

Paddle-Lite (class SubgraphDetector) joins an op with a reader of it when
a depth-first search backwards from the reader's other sources does not reach the op.  It repeats this
with the joined op until nothing more can be joined, and then takes the next op in running order.

This file finds the same regions by one walk forwards for each op: an op that is reached through an op
which cannot join cannot join either.  The running order of the joined ops is kept up to date, so a walk
ends where no reader is undecided.  That takes n log n in practice; a walk whose undecided readers are far
away passes all ops in between.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from lite.subgraph.op_graph import HOST, OpGraph, PlannedRegion


def reverse_dfs_regions(graph: OpGraph) -> list[PlannedRegion]:
    """Regions that cover every op which some device can run, in an order in which they can run.

    Devices are served one after the other; each takes what earlier devices left.  Regions are weakly
    connected and as large as joining neighbours makes them; `plan_regions` may find fewer.
    """
    clusters = _Clusters(graph)
    for device in range(graph.device_count):
        ops = [n for n, op in enumerate(graph.ops) if clusters.device[n] == HOST and device in op.devices]
        for n in ops:
            clusters.device[n] = device
        for n in ops:
            if clusters.find(n) == n:
                clusters.grow(n)
    return [
        PlannedRegion(clusters.device[n], tuple(sorted(clusters.members[n])))
        for n in clusters.order
        if clusters.device[n] != HOST
    ]


class _Clusters:
    """Groups of joined ops, each named by its first op."""

    def __init__(self, graph: OpGraph) -> None:
        count = len(graph)
        self.device = [HOST] * count
        self.members = [[n] for n in range(count)]
        self.order = _Order(count)
        self._readers = [list(readers) for readers in graph.readers]
        self._parent = list(range(count))
        """The union-find forest of the clusters."""

    def find(self, n: int) -> int:
        """The cluster of an op."""
        parent = self._parent
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    def grow(self, seed: int) -> None:
        """Join to a cluster all clusters of its device that it reaches, unless a path outside reaches them.

        The walk visits clusters in running order, so every path to a cluster is known when it is visited.
        """
        position = self.order.position
        bypassed: dict[int, bool] = {}
        """Whether a path outside the joined cluster leads to a cluster, for those that were reached."""
        queue: list[tuple[int, int]] = []
        undecided = 0
        joined: list[int] = []
        passed: list[int] = []
        between = 0
        for reader in self.readers(seed):
            bypassed[reader] = False
            heapq.heappush(queue, (position[reader], reader))
            undecided += 1
        while undecided:
            n = heapq.heappop(queue)[1]
            undecided -= not bypassed[n]
            joins = not bypassed[n] and self.device[n] == self.device[seed]
            if joins:
                joined.append(n)
                between = len(passed)
            else:
                passed.append(n)
            for reader in self.readers(n):
                if reader not in bypassed:
                    bypassed[reader] = not joins
                    heapq.heappush(queue, (position[reader], reader))
                    undecided += joins
                elif not joins and not bypassed[reader]:
                    bypassed[reader] = True
                    undecided -= 1
        if joined:
            self._join(seed, joined)
            self.order.join(seed, joined, passed[:between])

    def readers(self, n: int) -> list[int]:
        """The clusters that read from a cluster, each once."""
        readers = dict.fromkeys(map(self.find, self._readers[n]))
        readers.pop(n, None)
        self._readers[n] = list(readers)
        return self._readers[n]

    def _join(self, seed: int, joined: Iterable[int]) -> None:
        for n in joined:
            self._parent[n] = seed
            self.members[seed] += self.members[n]
            self._readers[seed] += self._readers[n]
            self.members[n] = []
            self._readers[n] = []


class _Order:
    """A running order of clusters: a ring with positions that compare as the order does.

    The positions are those of a list-labelling structure (P. Dietz, D. Sleator, "Two algorithms for
    maintaining order in a list", 1987), with gaps so wide that relabelling is rare.
    """

    _GAP = 1 << 256

    def __init__(self, count: int) -> None:
        self._end = count
        """Stands after the last cluster and before the first."""
        self._next = [*range(1, count + 1), 0]
        self._previous = [count, *range(count)]
        self.position = [n * self._GAP for n in range(count + 1)]

    def __iter__(self) -> Iterator[int]:
        n = self._next[self._end]
        while n != self._end:
            yield n
            n = self._next[n]

    def join(self, first: int, joined: Sequence[int], between: Sequence[int]) -> None:
        """Move `first` to the place of the last of `joined`, remove those, and move `between` after it."""
        self._move_after(first, joined[-1])
        for n in joined:
            self._remove(n)
        last = first
        for n in between:
            self._move_after(n, last)
            last = n
        self._label([first, *between])

    def _move_after(self, n: int, before: int) -> None:
        self._remove(n)
        after = self._next[before]
        self._previous[n], self._next[n] = before, after
        self._next[before] = self._previous[after] = n

    def _remove(self, n: int) -> None:
        before, after = self._previous[n], self._next[n]
        self._next[before], self._previous[after] = after, before

    def _label(self, moved: Sequence[int]) -> None:
        """Give positions to neighbouring clusters, between the positions of those around them."""
        before, after = self._previous[moved[0]], self._next[moved[-1]]
        low = -self._GAP if before == self._end else self.position[before]
        high = self.position[after]
        if after == self._end:
            high = low + self._GAP * (len(moved) + 1)
        step = (high - low) // (len(moved) + 1)
        if step == 0:
            self.position[self._end] = 0
            for index, n in enumerate(self):
                self.position[n] = index * self._GAP
            return
        for index, n in enumerate(moved, 1):
            self.position[n] = low + index * step
