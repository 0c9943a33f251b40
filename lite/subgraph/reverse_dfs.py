"""Paddle-Lite's detector: join neighbouring ops of a device unless another path connects them.

Paddle-Lite (class SubgraphDetector) joins an op with one of its readers if a depth-first search backwards
from the reader's other sources does not reach the op.  It repeats this with the joined op until nothing more
can be joined, and then continues with the next op in running order::

    a -> b, a -> c, b -> c          a, b and c run on the device: they become one region
    a -> h -> c, a -> c             h runs on the host: a and c stay apart, since h needs a and c needs h

This file finds the same regions with one walk forwards for each op: an op cannot join if a path to it from
the joined ops leads through an op that cannot join.  The running order is updated after each join, so that
a walk can stop as soon as no reader is undecided.  The time is n log n in practice; the worst case is a walk
whose undecided readers are far away in the order, as it visits all ops in between.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from lite.subgraph.op_graph import HOST, OpGraph, PlannedRegion


def reverse_dfs_regions(graph: OpGraph) -> list[PlannedRegion]:
    """Regions that cover every op which some device can run, in an order in which they can run.

    Each device in turn takes the ops that earlier devices left.  A region is weakly connected, and grows
    while a reader of it can join; `plan_regions` may find fewer regions.
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
    """Groups of joined ops; the number of a group is that of its first op."""

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
        """Join to a cluster those of its device that it reaches, unless a path outside it leads to them.

        The walk visits clusters in running order, so all paths to a cluster are known when it is visited.
        """
        position = self.order.position
        bypassed: dict[int, bool] = {}
        """For each cluster reached: whether a path outside the joined cluster leads to it."""
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
    """A running order of clusters: a linked ring with a position for each cluster.

    A cluster with a smaller position runs earlier.  The positions form a list-labelling structure
    (P. Dietz, D. Sleator, "Two algorithms for maintaining order in a list", 1987), with gaps so wide that
    relabelling is rare.
    """

    _GAP = 1 << 256

    def __init__(self, count: int) -> None:
        self._end = count
        """The sentinel of the ring: it follows the last cluster and precedes the first."""
        self._next = [*range(1, count + 1), 0]
        self._previous = [count, *range(count)]
        self.position = [n * self._GAP for n in range(count + 1)]

    def __iter__(self) -> Iterator[int]:
        n = self._next[self._end]
        while n != self._end:
            yield n
            n = self._next[n]

    def join(self, first: int, joined: Sequence[int], between: Sequence[int]) -> None:
        """Put `first` in the place of the last of `joined`, remove `joined`, put `between` after `first`."""
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
        """Give adjacent clusters positions between those of their neighbours.

        If the gap is too small, all clusters get new positions.
        """
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
