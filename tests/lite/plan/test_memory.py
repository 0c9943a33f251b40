"""No two live buffers overlap, and compact comes close to the largest live set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite.plan.memory import ALIGNMENT, STRATEGIES, Request, compact, plain


def requests() -> st.SearchStrategy[list[Request]]:
    sizes = st.integers(0, 5000)
    spans = st.tuples(st.integers(0, 40), st.integers(0, 10))
    return st.lists(st.builds(lambda size, s: Request(size, s[0], s[0] + s[1]), sizes, spans), max_size=40)


@pytest.mark.parametrize("name", STRATEGIES)
@given(wanted=requests())
def test_live_buffers_never_overlap(name: str, wanted: list[Request]) -> None:
    offsets, total = STRATEGIES[name](wanted)
    assert len(offsets) == len(wanted)
    for n, (a, begin) in enumerate(zip(wanted, offsets, strict=True)):
        assert begin % ALIGNMENT == 0
        assert 0 <= begin <= begin + a.size <= total
        for b, other in zip(wanted[:n], offsets[:n], strict=True):
            if a.first <= b.last and b.first <= a.last:
                assert begin + a.size <= other or other + b.size <= begin


def test_nothing_needs_nothing() -> None:
    assert compact([]) == ([], 0)
    assert plain([]) == ([], 0)


def test_plain_shares_nothing() -> None:
    assert plain([Request(100, 0, 0), Request(10, 1, 1), Request(64, 2, 2)]) == ([0, 128, 192], 256)


def test_compact_reuses_what_is_free_and_fills_gaps() -> None:
    wanted = [Request(100, 0, 1), Request(300, 1, 2), Request(90, 2, 3), Request(60, 0, 3)]
    offsets, total = compact(wanted)
    assert offsets == [320, 0, 320, 448]
    assert total == 512
