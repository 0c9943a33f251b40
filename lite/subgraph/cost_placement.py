"""Give each op to the device that makes the whole cheapest.

The whole is the ops' costs; the bytes of each op's outputs once for every other place that reads them,
over the bandwidth (regions of one device keep what they hand each other); and `REGION_SECONDS` for each
of the fewest regions that the placement can run in.

Few enough placements are all tried, those that cannot beat the best one left out.  Otherwise several are
improved and the cheapest is taken: each device first wherever it can run, every op where it is cheapest,
and those of the fewest regions.  Improving means choosing anew along a tree in which each op hangs on
the largest thing it reads, exactly for the tree's edges and against the present places for the others,
until nothing changes; and then moving whole regions while that makes the whole cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lite.subgraph.numbered_ops import NumberedOps
from lite.subgraph.phase_search import Takers, search_phases
from lite.subgraph.transfer_cost import OP_SECONDS, REGION_SECONDS

EXACT_WORK = 60_000
"""Placements times ops up to which all are tried."""
SEARCH_WORK = 200_000
"""Ops in all searches for regions on the way; beyond, their number is estimated from below."""
ROUNDS = 4
"""How often an improvement goes over the tree."""
ROUNDS_WORK = 400_000
"""Ops that it goes over, where that is fewer rounds."""

_HOST = -1

Places = list[int]
"""The number of each op's device; -1 for ops that no device takes."""


def cheapest_takers(
    graph: NumberedOps, able: Takers, devices: Sequence[str], bandwidth: float
) -> list[tuple[int, ...]]:
    """For each op the one device, of those able, that it goes to."""
    places = _Placement(graph, able, devices, bandwidth).cheapest()
    return [() if place == _HOST else (place,) for place in places]


class _Placement:
    """What places cost."""

    def __init__(
        self, graph: NumberedOps, able: Takers, devices: Sequence[str], bandwidth: float
    ) -> None:
        self.graph = graph
        self.able = able
        self.count = len(devices)
        self.choices = [takers or (_HOST,) for takers in able]
        self.crossing = [node.get("bytes", 0) / bandwidth for node in graph.nodes]
        self.compute: list[dict[int, float]] = []
        for node, takers in zip(graph.nodes, self.choices, strict=True):
            cost = node.get("cost", {})
            self.compute.append(
                {t: 0.0 if t == _HOST else cost.get(devices[t], OP_SECONDS) for t in takers}
            )
        self.searched = 0
        """Ops in the searches so far."""

    def cheapest(self) -> Places:
        """The best that is found."""
        free = [n for n, takers in enumerate(self.able) if len(takers) > 1]
        if not free:
            return [choices[0] for choices in self.choices]
        found: list[Places] = []
        for start in self._starts():
            found += [start, self._along_tree(start)]
        scored = [(self.total(places), number) for number, places in enumerate(found)]
        best = self._moved_regions(found[min(scored)[1]])
        tried = math.prod(len(self.able[n]) for n in free[:64]) * len(self.graph)
        return self._all_tried(best) if tried <= EXACT_WORK else best

    def total(self, places: Places) -> float:
        """Seconds of everything."""
        return self._local(places) + REGION_SECONDS * self._regions(places)

    def _local(self, places: Places) -> float:
        return sum(self._op_cost(n, places) for n in range(len(places)))

    def _op_cost(self, n: int, places: Places) -> float:
        """Of an op and of handing out what it writes."""
        place = places[n]
        cost = self.compute[n][place]
        if self.crossing[n]:
            cost += self.crossing[n] * len({places[r] for r in self.graph.readers[n]} - {place})
        return cost

    def _regions(self, places: Places) -> int:
        self.searched += len(places)
        if self.searched > SEARCH_WORK:
            return self._changes(places)
        takers = [() if place == _HOST else (place,) for place in places]
        return len(search_phases(self.graph, takers, self.count))

    def _changes(self, places: Places) -> int:
        """The most regions along one path: no plan has fewer."""
        most: list[tuple[int, int]] = []
        """For each op the regions up to it, and the device of the last."""
        for n, sources in enumerate(self.graph.sources):
            place = places[n]
            count, last = max((most[s] for s in sources), default=(0, _HOST))
            if place == _HOST:
                most.append((count, _HOST))
                continue
            ...
        return 0

    def _starts(self) -> Iterator[Places]:
        for device in range(self.count):
            yield [device if device in choices else choices[0] for choices in self.choices]
        yield [min(compute, key=lambda place: (compute[place], place)) for compute in self.compute]
        places = [_HOST] * len(self.graph)
        for phase in search_phases(self.graph, self.able, self.count):
            for n in phase.ops:
                places[n] = phase.device
        yield places
