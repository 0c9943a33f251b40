"""Divide a running order of ops into ranges on places so that the sum of their times is least.

A range of a running order is convex, and ranges can run one after the other.  So a division is a path of
cuts, and dynamic programming over cuts and places finds the cheapest one exactly.  The time of a range is
not the sum of its ops, because devices fuse ops.  `RangeSearch` asks for the time of a range only when a
cheapest path contains it.  It estimates the others: the sum of their shortest parts, less what the place
saves where a cut is left out, as the longest ranges show.  While no estimate is above the true time, the
path found is the cheapest.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from lite.dataclass import dataclass


@dataclass(frozen=True)
class PlacedRange:
    """The ops from `first` up to, but not including, `end`, on a place."""

    first: int
    end: int
    place: str


def cut_positions(
    crossing: Sequence[int], weights: Sequence[float], changes: Sequence[int], most: int
) -> list[int]:
    """At most `most` positions to cut a running order at, ascending; position n is before op n.

    crossing: the bytes that cross each position.
    weights: the estimated work of each op.
    changes: positions where the places that take the ops change; they are used first, those between the
        heaviest ops first.

    The others divide the work evenly, each moved to where the fewest bytes cross in its neighbourhood.
    """
    count = len(weights)
    before = [0.0]
    for weight in weights:
        before.append(before[-1] + weight)

    def least_side(position: int) -> float:
        return min(before[position], before[-1] - before[position])

    chosen = set(sorted(changes, key=least_side, reverse=True)[:most])
    parts = most - len(chosen) + 1
    for part in range(1, parts):
        low, high = (before[-1] * (part + side) / parts for side in (-0.5, 0.5))
        span = range(max(1, bisect.bisect_left(before, low)), min(count, bisect.bisect_right(before, high)))
        middle = (low + high) / 2
        if span:
            chosen.add(min(span, key=lambda n: (crossing[n], abs(before[n] - middle))))
    return sorted(chosen)


class RangeSearch:
    """Searches the cheapest path through `cuts`, which begin with 0 and end with the number of ops.

    `measure` returns the seconds of a range on a place, or None where the place cannot run it.  It is called
    at most once for each range.
    """

    def __init__(
        self, cuts: Sequence[int], places: Sequence[str], measure: Callable[[PlacedRange], float | None]
    ) -> None:
        self._cuts = list(cuts)
        self._places = list(places)
        self._measure = measure
        self._saved: dict[str, float] = {}
        """Seconds that a place saves for each cut less."""
        self.seconds: dict[PlacedRange, float] = {}
        """The measured ranges; infinite where a place cannot run one."""

    def run(self, has_time: Callable[[], bool]) -> list[PlacedRange]:
        """The cheapest path once all its ranges are measured, or when the time is over; empty if none is.

        First all shortest ranges are measured, then the longest ones that a place can run.
        """
        for first, end in itertools.pairwise(self._cuts):
            for place in self._places:
                if not has_time():
                    return []
                self._ask(PlacedRange(first, end, place))
        for each in self._longest():
            if not has_time():
                return []
            self._ask(each)
            parts = self._parts(each)
            saved = (sum(parts) - self.seconds[each]) / (len(parts) - 1)
            if math.isfinite(saved):
                self._saved[each.place] = max(saved, self._saved.get(each.place, 0.0))
        while True:
            path = self.cheapest(self._estimate)
            unknown = [each for each in path if each not in self.seconds]
            if not unknown:
                return path
            for each in unknown:
                if not has_time():
                    return self.cheapest(lambda known: self.seconds.get(known, math.inf))
                self._ask(each)

    def cheapest(self, cost: Callable[[PlacedRange], float]) -> list[PlacedRange]:
        """The path with the least sum of costs, whose neighbours are on different places; empty for none."""
        best: list[dict[str, tuple[float, list[PlacedRange]]]] = [{} for _ in self._cuts]
        for last in range(1, len(self._cuts)):
            for place in self._places:
                for start in range(last):
                    each = PlacedRange(self._cuts[start], self._cuts[last], place)
                    before = self._before(best[start], place, start)
                    if before is None:
                        continue
                    total = before[0] + cost(each)
                    if total < best[last].get(place, (math.inf, []))[0]:
                        best[last][place] = (total, [*before[1], each])
        ends: Mapping[str, tuple[float, list[PlacedRange]]] = best[-1]
        return min(ends.values(), key=lambda found: found[0])[1] if ends else []

    @staticmethod
    def _before(
        ends: Mapping[str, tuple[float, list[PlacedRange]]], place: str, start: int
    ) -> tuple[float, list[PlacedRange]] | None:
        if start == 0:
            return 0.0, []
        others = [found for other, found in ends.items() if other != place]
        return min(others, key=lambda found: found[0], default=None)

    def _estimate(self, each: PlacedRange) -> float:
        if each in self.seconds:
            return self.seconds[each]
        parts = self._parts(each)
        return max(max(parts), sum(parts) - self._saved.get(each.place, 0.0) * (len(parts) - 1))

    def _parts(self, each: PlacedRange) -> list[float]:
        """The seconds of the shortest ranges within a range."""
        low, high = bisect.bisect_left(self._cuts, each.first), bisect.bisect_left(self._cuts, each.end)
        pairs = itertools.pairwise(self._cuts[low : high + 1])
        return [self.seconds[PlacedRange(first, end, each.place)] for first, end in pairs]

    def _longest(self) -> Iterator[PlacedRange]:
        """By place, the ranges of several shortest ones that cannot be longer: the place refuses the next."""
        for place in self._places:
            shortest = [PlacedRange(first, end, place) for first, end in itertools.pairwise(self._cuts)]
            for takes, run in itertools.groupby(shortest, self._is_finite):
                ranges = list(run)
                if takes and len(ranges) > 1:
                    yield PlacedRange(ranges[0].first, ranges[-1].end, place)

    def _is_finite(self, each: PlacedRange) -> bool:
        return math.isfinite(self.seconds[each])

    def _ask(self, each: PlacedRange) -> None:
        if each not in self.seconds:
            seconds = self._measure(each)
            self.seconds[each] = math.inf if seconds is None else seconds
