"""No strategy lets live buffers overlap, and each places them as it says."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite.plan.memory import (
    ALIGNMENT,
    STRATEGIES,
    Request,
    aligned,
    best_fit,
    compact,
    largest_live_set,
    mru,
    plain,
)

each_strategy = pytest.mark.parametrize("name", STRATEGIES)


def requests() -> st.SearchStrategy[list[Request]]:
    sizes = st.integers(0, 5000)
    spans = st.tuples(st.integers(0, 40), st.integers(0, 10))
    return st.lists(st.builds(lambda size, s: Request(size, s[0], s[0] + s[1]), sizes, spans), max_size=40)


def live_bytes(wanted: list[Request], instruction: int) -> int:
    return sum(aligned(r.size) for r in wanted if r.first <= instruction <= r.last)


def test_the_names_that_config_takes() -> None:
    assert list(STRATEGIES) == ["compact", "best_fit", "mru", "plain"]


@each_strategy
@given(wanted=requests())
def test_live_buffers_never_overlap(name: str, wanted: list[Request]) -> None:
    before = list(wanted)
    offsets, total = STRATEGIES[name](wanted)
    assert (wanted, len(offsets)) == (before, len(wanted))
    assert largest_live_set(wanted)[0] <= total <= sum(aligned(r.size) for r in wanted)
    for n, (a, begin) in enumerate(zip(wanted, offsets, strict=True)):
        assert begin % ALIGNMENT == 0
        assert 0 <= begin <= begin + a.size <= total
        for b, other in zip(wanted[:n], offsets[:n], strict=True):
            if a.first <= b.last and b.first <= a.last:
                assert begin + a.size <= other or other + b.size <= begin


@each_strategy
@given(wanted=requests())
def test_the_same_requests_lie_at_the_same_places(name: str, wanted: list[Request]) -> None:
    assert STRATEGIES[name](wanted) == STRATEGIES[name](list(wanted))


@given(wanted=requests())
def test_largest_live_set_is_counted_instruction_by_instruction(wanted: list[Request]) -> None:
    most, when = largest_live_set(wanted)
    counts = [live_bytes(wanted, instruction) for instruction in range(52)]
    assert most == max(counts)
    assert when == (counts.index(most) if most else 0)


@given(wanted=requests())
def test_compact_is_never_worse_than_best_fit(wanted: list[Request]) -> None:
    assert compact(wanted)[1] <= best_fit(wanted)[1]


@each_strategy
def test_nothing_needs_nothing(name: str) -> None:
    assert STRATEGIES[name]([]) == ([], 0)
    assert STRATEGIES[name]([Request(0, 0, 5), Request(0, 2, 3)]) == ([0, 0], 0)


def test_plain_shares_nothing() -> None:
    assert plain([Request(100, 0, 0), Request(10, 1, 1), Request(64, 2, 2)]) == ([0, 128, 192], 256)


def test_compact_reuses_what_is_free_and_fills_gaps() -> None:
    wanted = [Request(100, 0, 1), Request(300, 1, 2), Request(90, 2, 3), Request(60, 0, 3)]
    offsets, total = compact(wanted)
    assert offsets == [320, 0, 320, 448]
    assert total == 512


def test_mru_takes_what_was_freed_last_even_where_it_is_too_large() -> None:
    wanted = [
        Request(64, 0, 0),  # freed first
        Request(64, 0, 9),
        Request(640, 0, 1),  # freed last
        Request(64, 0, 9),
        Request(64, 2, 3),
    ]
    assert mru(wanted) == ([0, 64, 128, 768, 128], 832)


def test_mru_merges_what_is_freed_and_grows_at_the_end() -> None:
    wanted = [Request(64, 0, 0), Request(64, 0, 1), Request(64, 0, 9), Request(128, 2, 3), Request(192, 3, 3)]
    assert mru(wanted) == ([0, 64, 128, 0, 192], 384)


def test_best_fit_takes_the_smallest_block_that_holds_it() -> None:
    wanted = [
        Request(640, 0, 0),
        Request(64, 0, 9),
        Request(64, 0, 0),
        Request(64, 0, 9),
        Request(64, 1, 1),
    ]
    assert best_fit(wanted) == ([0, 768, 704, 640, 704], 832)


def test_best_fit_lets_a_chain_use_both_ends_by_turns() -> None:
    chain = [Request(size, n, n + 1) for n, size in enumerate((128, 256, 512))]
    assert best_fit(chain) == ([0, 512, 0], 768)
    assert largest_live_set(chain) == (768, 2)
    assert mru(chain) == ([0, 128, 384], 896)


def test_best_fit_grows_where_no_arena_of_fixed_size_does() -> None:
    """Each is (64 bytes, first, last); eight attempts end at 3520 bytes."""
    wanted = [
        Request(64 * size, first, last)
        for size, first, last in (
            (4, 0, 1), (5, 6, 8), (9, 4, 5), (9, 2, 3), (5, 1, 2), (11, 5, 7), (10, 3, 4),
            (4, 7, 13), (1, 1, 7), (10, 4, 5), (8, 3, 5), (3, 6, 7), (2, 1, 7),
        )
    ]  # fmt: skip
    assert largest_live_set(wanted)[0] == 2624
    assert best_fit(wanted)[1] == 3648
    assert compact(wanted)[1] < 3648


def test_ten_thousand_requests_come_close_to_the_largest_live_set() -> None:
    rng = random.Random(0)
    wanted = [Request(rng.randrange(64, 100_000), n, n + rng.choice((1, 1, 2, 5, 50))) for n in range(10_000)]
    assert compact(wanted)[1] <= 1.05 * largest_live_set(wanted)[0]
