"""The search for ranges finds the cheapest division, and measures few ranges for it."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from lite.subgraph.range_search import PlacedRange, RangeSearch, cut_positions

PLACES = ("host", "npu", "dsp")


class Times:
    """Seconds of ranges: what each op takes on a place, and a start of each range; some ops are refused."""

    def __init__(self, seed: int, count: int, refused: float = 0.1) -> None:
        rng = random.Random(seed)
        self.ops = {
            place: [
                math.inf if place != "host" and rng.random() < refused else rng.random() for _ in range(count)
            ]
            for place in PLACES
        }
        self.start = {place: rng.random() for place in PLACES}
        self.asked: list[PlacedRange] = []

    def measure(self, each: PlacedRange) -> float | None:
        self.asked.append(each)
        seconds = self.of(each)
        return None if math.isinf(seconds) else seconds

    def of(self, each: PlacedRange) -> float:
        return self.start[each.place] + sum(self.ops[each.place][each.first : each.end])


def cheapest_of_all(times: Times, cuts: list[int]) -> float:
    """The least sum of all divisions at some of the cuts, and of all places of the parts."""
    inner = cuts[1:-1]
    least = math.inf
    for count in range(len(inner) + 1):
        for chosen in itertools.combinations(inner, count):
            ends = [cuts[0], *chosen, cuts[-1]]
            for places in itertools.product(PLACES, repeat=count + 1):
                if any(a == b for a, b in itertools.pairwise(places)):
                    continue
                parts = zip(ends, ends[1:], places, strict=False)
                least = min(least, sum(times.of(PlacedRange(*part)) for part in parts))
    return least


@pytest.mark.parametrize("seed", range(40))
def test_the_division_is_the_cheapest_of_all(seed: int) -> None:
    times, cuts = Times(seed, 12), [0, 2, 5, 7, 9, 12]
    path = RangeSearch(cuts, PLACES, times.measure).run(lambda: True)
    assert [path[0].first, path[-1].end] == [0, 12]
    assert all(a.end == b.first and a.place != b.place for a, b in itertools.pairwise(path))
    assert sum(map(times.of, path)) == pytest.approx(cheapest_of_all(times, cuts))


def test_no_range_is_measured_twice_and_most_not_at_all() -> None:
    times, cuts = Times(1, 20, refused=0.0), list(range(21))
    RangeSearch(cuts, PLACES, times.measure).run(lambda: True)
    assert len(times.asked) == len(set(times.asked))
    assert len(times.asked) < 210 * len(PLACES) / 2


def test_without_time_there_is_no_division() -> None:
    times = Times(2, 6)
    assert RangeSearch([0, 3, 6], PLACES, times.measure).run(lambda: False) == []
    assert times.asked == []


def test_when_the_time_is_over_only_measured_ranges_are_used() -> None:
    for limit in range(20):
        times, answers = Times(3, 12, refused=0.0), itertools.chain([True] * limit, itertools.repeat(False))
        search = RangeSearch([0, 3, 6, 9, 12], PLACES, times.measure)
        path = search.run(answers.__next__)
        assert set(path) <= set(times.asked)


def test_a_single_range_needs_no_search() -> None:
    times = Times(4, 3, refused=0.0)
    (only,) = RangeSearch([0, 3], PLACES, times.measure).run(lambda: True)
    assert (only.first, only.end) == (0, 3)


def test_cuts_divide_the_work_evenly_where_few_bytes_cross() -> None:
    crossing = [0, 9, 9, 1, 9, 9, 9, 2, 9, 9]
    assert cut_positions(crossing, [1.0] * 10, [], 2) == [3, 7]
    assert cut_positions(crossing, [1.0] * 10, [], 0) == []


def test_changes_of_support_come_first_those_between_heavy_ops_before_others() -> None:
    weights = [1.0, 1.0, 5.0, 5.0, 1.0]
    assert cut_positions([0] * 5, weights, [1, 2, 3], 1) == [3]
    assert cut_positions([0] * 5, weights, [1, 2, 3], 3) == [1, 2, 3]


def test_a_graph_of_one_op_has_no_cut() -> None:
    assert cut_positions([0], [1.0], [], 5) == []
