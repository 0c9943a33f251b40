"""Give each op to the device that makes the whole cheapest.

The whole is the ops' costs; the bytes of each op's outputs once for every other place that reads them,
over the bandwidth (regions of one device keep what they hand each other); and `REGION_SECONDS` for each
of the fewest regions that the placement can run in.

Few enough placements are all tried, those that cannot beat the best one left out.  Otherwise several are
improved and the cheapest is taken: every op where it is cheapest, each device first wherever it can run,
and that of the fewest regions.  Improving means choosing anew along a tree in which each op hangs on
the largest thing it reads, exactly for the tree's edges and against the present places for the others,
until nothing changes; and then moving whole regions while that makes the whole cheaper.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from lite.subgraph.numbered_ops import NumberedOps
from lite.subgraph.phase_search import BEAM, Phase, Takers, search_phases
from lite.subgraph.transfer_cost import OP_SECONDS, REGION_SECONDS

EXACT_WORK = 20_000
"""Placements times ops up to which all are tried."""
SEARCH_WORK = 250_000
"""Ops in all searches for the number of regions; where that is too few, it is estimated from below."""
SEARCH_EXACT_WORK = 2_000
"""Ops that one of these searches runs before it stops to be exact."""
TREE_WORK = 200_000
"""Ops that improvements along the tree go over, beyond the first round of each."""

_HOST = -1

Places = list[int]
"""The number of each op's device; -1 for ops that no device takes."""


def cheapest_takers(
    graph: NumberedOps, able: Takers, devices: Sequence[str], bandwidth: float
) -> list[tuple[int, ...]]:
    """For each op the one device, of those able, that it goes to."""
    places = _Placement(graph, able, devices, bandwidth).cheapest()
    return list(_takers(places))


class _Placement:
    """What places cost."""

    def __init__(self, graph: NumberedOps, able: Takers, devices: Sequence[str], bandwidth: float) -> None:
        self.graph = graph
        self.able = able
        self.count = len(devices)
        self.choices = [takers or (_HOST,) for takers in able]
        self.crossing = [node.get("bytes", 0) / bandwidth for node in graph.nodes]
        self.compute: list[dict[int, float]] = []
        for node, takers in zip(graph.nodes, self.choices, strict=True):
            cost = node.get("cost", {})
            self.compute.append({t: 0.0 if t == _HOST else cost.get(devices[t], OP_SECONDS) for t in takers})
        self.parents = [
            max(sources, key=lambda s: (self.crossing[s], s), default=None) for sources in graph.sources
        ]
        """The op that writes the largest thing an op reads."""
        self.searches_left = SEARCH_WORK // (len(graph) * self.count * BEAM + SEARCH_EXACT_WORK)
        self.searched = self.searches_left >= 2 * (self.count + 2)
        """Whether the number of regions is searched for, not estimated."""
        self.rounds_left = TREE_WORK // max(1, len(graph))

    def cheapest(self) -> Places:
        """The best that is found."""
        free = [len(takers) for takers in self.able if len(takers) > 1]
        if not free:
            return [choices[0] for choices in self.choices]
        starts = list(self._starts())
        improved = [self._along_tree(start) for start in (starts if self.searched else starts[:1])]
        best = min([*starts, *improved], key=self.total)
        if self.searched:
            best = self._moved_regions(best)
        return self._all_tried(best) if math.prod(free[:64]) * len(self.graph) <= EXACT_WORK else best

    def total(self, places: Places) -> float:
        """Seconds of everything."""
        regions = len(self._phases(places)) if self.searched else self._changes(places)
        return self._local(places) + REGION_SECONDS * regions

    def _local(self, places: Places) -> float:
        return sum(self._op_cost(n, places) for n in range(len(places)))

    def _op_cost(self, n: int, places: Places) -> float:
        """Of an op and of handing out what it writes."""
        place = places[n]
        cost = self.compute[n][place]
        if self.crossing[n]:
            cost += self.crossing[n] * len({places[r] for r in self.graph.readers[n]} - {place})
        return cost

    def _phases(self, places: Places) -> list[Phase]:
        self.searches_left -= 1
        return search_phases(self.graph, _takers(places), self.count, SEARCH_EXACT_WORK)

    def _changes(self, places: Places) -> int:
        """The most regions along one path: no plan has fewer."""
        along: list[int] = []
        for place, sources in zip(places, self.graph.sources, strict=True):
            runs = place != _HOST
            along.append(max((along[s] + (runs and places[s] != place) for s in sources), default=int(runs)))
        return max(along)

    def _starts(self) -> Iterator[Places]:
        yield [min(compute, key=lambda place: (compute[place], place)) for compute in self.compute]
        for device in range(self.count if self.searched else 1):
            yield [device if device in choices else choices[0] for choices in self.choices]
        if self.searched:
            places = [_HOST] * len(self.graph)
            for phase in search_phases(self.graph, self.able, self.count, SEARCH_EXACT_WORK):
                for n in phase.ops:
                    places[n] = phase.device
            yield places

    def _along_tree(self, places: Places) -> Places:
        """Places improved along the tree, beginning with these."""
        chosen = self._chosen_on_tree(places)
        while chosen != places and self.rounds_left > 0:
            self.rounds_left -= 1
            places, chosen = chosen, self._chosen_on_tree(chosen)
        return chosen

    def _chosen_on_tree(self, places: Places) -> Places:
        """The best places if each op paid for the tree's edges as chosen, for others as they are now."""
        crossing, parents = self.crossing, self.parents
        below: list[dict[int, float]] = [dict(compute) for compute in self.compute]
        """What an op and all that hangs on it cost, by the op's place."""
        for n in range(len(places) - 1, -1, -1):
            costs = below[n]
            parent = parents[n]
            for s in self.graph.sources[n]:
                if s != parent and crossing[s]:
                    _charge(costs, places[s], crossing[s])
                    _charge(below[s], places[n], crossing[s])
            if parent is None:
                continue
            apart = min(costs.values()) + crossing[parent] + REGION_SECONDS
            hung = below[parent]
            for place in hung:
                hung[place] += min(costs.get(place, apart), apart)
        chosen: Places = []
        for n, parent in enumerate(parents):
            costs = below[n]
            best = min(costs, key=lambda place: (costs[place], place))
            if parent is not None:
                beside = costs.get(chosen[parent], math.inf)
                if beside <= costs[best] + crossing[parent] + REGION_SECONDS:
                    best = chosen[parent]
            chosen.append(best)
        return chosen

    def _moved_regions(self, places: Places) -> Places:
        """Places after every move of a region to another device that makes the whole cheaper."""
        least = self.total(places)
        moved = True
        while moved and self.searches_left > 0:
            moved = False
            for phase, device in itertools.product(self._phases(places), range(self.count)):
                if self.searches_left <= 0:
                    break
                other = list(places)
                for n in phase.ops:
                    other[n] = device if device in self.able[n] else other[n]
                if other != places and (cost := self.total(other)) < least:
                    least, places, moved = cost, other, True
        return places

    def _all_tried(self, best: Places) -> Places:
        """The cheapest of all placements, the given one where none is cheaper."""
        least = self.total(best)
        for tried in itertools.product(*self.choices):
            places = list(tried)
            local = self._local(places)
            if local + REGION_SECONDS * len(set(places) - {_HOST}) < least:
                cost = local + REGION_SECONDS * len(self._phases(places))
                if cost < least:
                    least, best = cost, places
        return best


def _takers(places: Places) -> Takers:
    return [() if place == _HOST else (place,) for place in places]


def _charge(costs: dict[int, float], beside: int, amount: float) -> None:
    """Let every place but one pay."""
    for place in costs:
        if place != beside:
            costs[place] += amount
