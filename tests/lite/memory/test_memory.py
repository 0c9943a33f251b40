"""No strategy lets live buffers overlap, and each places buffers as it describes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite.memory import (
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


def live_bytes(requested: list[Request], instruction: int) -> int:
    return sum(aligned(r.size) for r in requested if r.first <= instruction <= r.last)


def test_the_strategies_have_the_names_in_config() -> None:
    assert list(STRATEGIES) == ["compact", "best_fit", "mru", "plain"]


@each_strategy
@given(requested=requests())
def test_live_buffers_never_overlap(name: str, requested: list[Request]) -> None:
    before = list(requested)
    offsets, total = STRATEGIES[name](requested)
    assert (requested, len(offsets)) == (before, len(requested))
    assert largest_live_set(requested)[0] <= total <= sum(aligned(r.size) for r in requested)
    for n, (a, begin) in enumerate(zip(requested, offsets, strict=True)):
        assert begin % ALIGNMENT == 0
        assert 0 <= begin <= begin + a.size <= total
        for b, other in zip(requested[:n], offsets[:n], strict=True):
            if a.first <= b.last and b.first <= a.last:
                assert begin + a.size <= other or other + b.size <= begin


@each_strategy
@given(requested=requests())
def test_equal_requests_get_equal_offsets(name: str, requested: list[Request]) -> None:
    assert STRATEGIES[name](requested) == STRATEGIES[name](list(requested))


@given(requested=requests())
def test_largest_live_set_is_counted_instruction_by_instruction(requested: list[Request]) -> None:
    most, when = largest_live_set(requested)
    counts = [live_bytes(requested, instruction) for instruction in range(52)]
    assert most == max(counts)
    assert when == (counts.index(most) if most else 0)


@given(requested=requests())
def test_compact_is_never_worse_than_best_fit(requested: list[Request]) -> None:
    assert compact(requested)[1] <= best_fit(requested)[1]


@each_strategy
def test_no_requests_need_no_memory(name: str) -> None:
    assert STRATEGIES[name]([]) == ([], 0)
    assert STRATEGIES[name]([Request(0, 0, 5), Request(0, 2, 3)]) == ([0, 0], 0)


def test_plain_shares_no_memory() -> None:
    assert plain([Request(100, 0, 0), Request(10, 1, 1), Request(64, 2, 2)]) == ([0, 128, 192], 256)


def test_compact_reuses_freed_memory_and_fills_gaps() -> None:
    requested = [Request(100, 0, 1), Request(300, 1, 2), Request(90, 2, 3), Request(60, 0, 3)]
    offsets, total = compact(requested)
    assert offsets == [320, 0, 320, 448]
    assert total == 512


def test_mru_takes_the_block_that_was_freed_last_even_if_another_fits_better() -> None:
    requested = [
        Request(64, 0, 0),  # freed first
        Request(64, 0, 9),
        Request(640, 0, 1),  # freed last
        Request(64, 0, 9),
        Request(64, 2, 3),
    ]
    assert mru(requested) == ([0, 64, 128, 768, 128], 832)


def test_mru_merges_freed_blocks_and_grows_at_the_end() -> None:
    requested = [
        Request(64, 0, 0),
        Request(64, 0, 1),
        Request(64, 0, 9),
        Request(128, 2, 3),
        Request(192, 3, 3),
    ]
    assert mru(requested) == ([0, 64, 128, 0, 192], 384)


def test_best_fit_takes_the_smallest_block_that_holds_it() -> None:
    requested = [
        Request(640, 0, 0),
        Request(64, 0, 9),
        Request(64, 0, 0),
        Request(64, 0, 9),
        Request(64, 1, 1),
    ]
    assert best_fit(requested) == ([0, 768, 704, 640, 704], 832)


def test_best_fit_alternates_between_both_ends_for_a_chain() -> None:
    chain = [Request(size, n, n + 1) for n, size in enumerate((128, 256, 512))]
    assert best_fit(chain) == ([0, 512, 0], 768)
    assert largest_live_set(chain) == (768, 2)
    assert mru(chain) == ([0, 128, 384], 896)


def test_best_fit_grows_the_arena_if_no_fixed_size_fits() -> None:
    """Each is (64 bytes, first, last); eight attempts end at 3520 bytes."""
    requested = [
        Request(64 * size, first, last)
        for size, first, last in (
            (4, 0, 1), (5, 6, 8), (9, 4, 5), (9, 2, 3), (5, 1, 2), (11, 5, 7), (10, 3, 4),
            (4, 7, 13), (1, 1, 7), (10, 4, 5), (8, 3, 5), (3, 6, 7), (2, 1, 7),
        )
    ]  # fmt: skip
    assert largest_live_set(requested)[0] == 2624
    assert best_fit(requested)[1] == 3648
    assert compact(requested)[1] < 3648


def test_ten_thousand_requests_come_close_to_the_largest_live_set() -> None:
    rng = random.Random(0)
    requested = [
        Request(rng.randrange(64, 100_000), n, n + rng.choice((1, 1, 2, 5, 50))) for n in range(10_000)
    ]
    assert compact(requested)[1] <= 1.05 * largest_live_set(requested)[0]
