"""Place each op on the device that makes the whole graph cheapest.

The cost of a placement is the time of the ops; for each op the transfer of its outputs, once for every
other place that reads them (regions of one device keep their values there); and `REGION_SECONDS` for
each of the fewest regions that the placement can run in.

Small graphs: every placement is tried, except those whose cost so far exceeds the best.  Large graphs:
local search from several starts, the cheapest result wins.  The starts are every op where it is cheapest,
each device wherever it can run, and the placement of the fewest regions.  One step of the search solves
a spanning tree of the graph exactly by dynamic programming, in which an op hangs on the op with the
largest outputs that it reads.  It charges the edges outside the tree against the present places, like
blockwise iterated conditional modes (J. Besag, "On the statistical analysis of dirty pictures", 1986).
When no such step changes anything, whole regions are moved to other devices while that lowers the cost.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from lite.subgraph.op_graph import HOST, OP_SECONDS, REGION_SECONDS, OpGraph, PlannedRegion
from lite.subgraph.phase_search import BEAM, Candidates, search_phases

EXACT_WORK = 20_000
"""Placements times ops up to which every placement is tried."""
SEARCH_WORK = 250_000
"""Ops in all searches for the number of regions; a graph too large for them gets a lower bound instead."""
SEARCH_EXACT_WORK = 2_000
"""Ops that one of these searches runs before it becomes a beam search."""
TREE_WORK = 200_000
"""Ops that all steps along the tree visit, beyond the first step of each start."""

Places = list[int]
"""The device of each op; `HOST` for ops that no device takes."""


def cheapest_candidates(graph: OpGraph, bandwidth: float) -> list[tuple[int, ...]]:
    """For each op the one device, among those that can run it, on which it is placed; none for the host."""
    return list(_candidates(_Placement(graph, bandwidth).cheapest()))


class _Placement:
    """Computes the cost of placements of one graph and searches for the cheapest."""

    def __init__(self, graph: OpGraph, bandwidth: float) -> None:
        self.graph = graph
        self.count = graph.device_count
        self.choices = [op.devices or (HOST,) for op in graph.ops]
        self.transfer = [op.bytes / bandwidth for op in graph.ops]
        """Seconds to transfer the outputs of each op to another place."""
        self.compute = [
            {place: 0.0 if place == HOST else op.seconds.get(place, OP_SECONDS) for place in places}
            for op, places in zip(graph.ops, self.choices, strict=True)
        ]
        """Seconds of each op by place."""
        self.parents = [
            max(sources, key=lambda s: (self.transfer[s], s), default=None) for sources in graph.sources
        ]
        """The op with the largest outputs among those that an op reads."""
        self.searches_left = SEARCH_WORK // (len(graph) * self.count * BEAM + SEARCH_EXACT_WORK)
        self.counts_regions = self.searches_left >= 2 * (self.count + 2)
        """Whether the number of regions is found by search rather than bounded from below."""
        self.steps_left = TREE_WORK // max(1, len(graph))

    def cheapest(self) -> Places:
        """The cheapest placement found."""
        free = [len(places) for places in self.choices if len(places) > 1]
        if not free:
            return [places[0] for places in self.choices]
        starts = list(self._starts())
        improved = [self._improve(start) for start in (starts if self.counts_regions else starts[:1])]
        best = min([*starts, *improved], key=self.total)
        if self.counts_regions:
            best = self._move_regions(best)
        return self._try_all(best) if math.prod(free[:64]) * len(self.graph) <= EXACT_WORK else best

    def total(self, places: Places) -> float:
        """The cost of a placement in seconds."""
        regions = len(self._regions(places)) if self.counts_regions else self._least_regions(places)
        return self._without_regions(places) + REGION_SECONDS * regions

    def _without_regions(self, places: Places) -> float:
        return sum(self._op_cost(n, places) for n in range(len(places)))

    def _op_cost(self, n: int, places: Places) -> float:
        """The time of an op and of transferring its outputs."""
        place = places[n]
        cost = self.compute[n][place]
        if self.transfer[n]:
            cost += self.transfer[n] * len({places[r] for r in self.graph.readers[n]} - {place})
        return cost

    def _regions(self, places: Places) -> list[PlannedRegion]:
        self.searches_left -= 1
        return search_phases(self.graph, _candidates(places), SEARCH_EXACT_WORK)

    def _least_regions(self, places: Places) -> int:
        """The most regions on any path: no plan with these places has fewer regions."""
        on_path: list[int] = []
        for place, sources in zip(places, self.graph.sources, strict=True):
            on_device = place != HOST
            on_path.append(
                max(
                    (on_path[s] + (on_device and places[s] != place) for s in sources), default=int(on_device)
                )
            )
        return max(on_path)

    def _starts(self) -> Iterator[Places]:
        yield [min(compute, key=lambda place: (compute[place], place)) for compute in self.compute]
        for device in range(self.count if self.counts_regions else 1):
            yield [device if device in choices else choices[0] for choices in self.choices]
        if self.counts_regions:
            places = [HOST] * len(self.graph)
            candidates = [op.devices for op in self.graph.ops]
            for region in search_phases(self.graph, candidates, SEARCH_EXACT_WORK):
                for n in region.ops:
                    places[n] = region.device
            yield places

    def _improve(self, places: Places) -> Places:
        """Repeat steps along the tree until nothing changes or the work is used up."""
        better = self._solve_tree(places)
        while better != places and self.steps_left > 0:
            self.steps_left -= 1
            places, better = better, self._solve_tree(better)
        return better

    def _solve_tree(self, places: Places) -> Places:
        """The best places where edges of the tree see the new places, all other edges the present ones."""
        transfer, parents = self.transfer, self.parents
        subtree: list[dict[int, float]] = [dict(compute) for compute in self.compute]
        """The cost of an op and of its subtree, by the op's place."""
        for n in range(len(places) - 1, -1, -1):
            costs = subtree[n]
            parent = parents[n]
            for s in self.graph.sources[n]:
                if s != parent and transfer[s]:
                    _charge_others(costs, places[s], transfer[s])
                    _charge_others(subtree[s], places[n], transfer[s])
            if parent is None:
                continue
            elsewhere = min(costs.values()) + transfer[parent] + REGION_SECONDS
            of_parent = subtree[parent]
            for place in of_parent:
                of_parent[place] += min(costs.get(place, elsewhere), elsewhere)
        chosen: Places = []
        for n, parent in enumerate(parents):
            costs = subtree[n]
            best = min(costs, key=lambda place: (costs[place], place))
            if parent is not None:
                with_parent = costs.get(chosen[parent], math.inf)
                if with_parent <= costs[best] + transfer[parent] + REGION_SECONDS:
                    best = chosen[parent]
            chosen.append(best)
        return chosen

    def _move_regions(self, places: Places) -> Places:
        """Move whole regions to other devices as long as a move lowers the cost."""
        least = self.total(places)
        moved = True
        while moved and self.searches_left > 0:
            moved = False
            for region, device in itertools.product(self._regions(places), range(self.count)):
                if self.searches_left <= 0:
                    break
                other = list(places)
                for n in region.ops:
                    other[n] = device if device in self.choices[n] else other[n]
                if other != places and (cost := self.total(other)) < least:
                    least, places, moved = cost, other, True
        return places

    def _try_all(self, best: Places) -> Places:
        """The cheapest of all placements; `best` where none is cheaper."""
        least = self.total(best)
        for combination in itertools.product(*self.choices):
            places = list(combination)
            cost = self._without_regions(places)
            if cost + REGION_SECONDS * len(set(places) - {HOST}) < least:
                cost += REGION_SECONDS * len(self._regions(places))
                if cost < least:
                    least, best = cost, places
        return best


def _candidates(places: Places) -> Candidates:
    return [() if place == HOST else (place,) for place in places]


def _charge_others(costs: dict[int, float], place: int, amount: float) -> None:
    """Add an amount to the cost of every place but one."""
    for other in costs:
        if other != place:
            costs[other] += amount
