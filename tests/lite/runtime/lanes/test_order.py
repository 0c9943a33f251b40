"""What waits for what, and what may run at the same time: against all orders that keep the rules."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lite.runtime.lanes.order import LaneOrder

Drawn = tuple[list[int | None], list[set[int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    count = draw(st.integers(1, 9))
    lanes = [draw(st.one_of(st.none(), st.integers(0, 2))) for _ in range(count)]
    return lanes, [
        set(draw(st.sets(st.integers(0, n - 1), max_size=3))) if n else set() for n in range(count)
    ]


def before(lanes: list[int | None], sources: list[set[int]], n: int) -> set[int]:
    """All instructions that have finished when `n` starts, by a search backwards."""
    found: set[int] = set()
    pending = [n]
    while pending:
        each = pending.pop()
        near = set(sources[each])
        if lanes[each] is not None:
            near.update(m for m in range(each) if lanes[m] == lanes[each])
        pending += near - found
        found |= near
    return {m for m in found if lanes[m] is not None}


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(graphs())
def test_an_instruction_waits_for_everything_that_it_depends_on_and_nothing_else(graph: Drawn) -> None:
    lanes, sources = graph
    order = LaneOrder(lanes, sources)
    for n, lane in enumerate(lanes):
        if lane is None:
            assert order.waits[n] == ()
            continue
        # The waits of an instruction and of those before it in its lane, with all that follows from them.
        known: set[int] = set()
        pending = [m for m in range(n + 1) if lanes[m] == lane]
        while pending:
            each = pending.pop()
            known.add(each)
            for other, count in order.waits[each]:
                for m in order.members[other][:count]:
                    if m not in known:
                        pending.append(m)
            pending += [m for m in range(each) if lanes[m] == lanes[each] and m not in known]
        assert known - {n} == before(lanes, sources, n)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(graphs())
def test_until_is_the_last_instruction_that_may_start_before_one_has_finished(graph: Drawn) -> None:
    lanes, sources = graph
    order = LaneOrder(lanes, sources)
    for n, lane in enumerate(lanes):
        if lane is None:
            continue
        later = [
            m for m in range(n + 1, len(lanes)) if lanes[m] is not None and n not in before(lanes, sources, m)
        ]
        assert order.until(n) == max(later, default=n)
    assert order.has_overlap == any(order.until(n) > n for n in range(len(lanes)))


def test_a_chain_has_no_overlap() -> None:
    order = LaneOrder([0, 1, 0, 2, 0], [set(), {0}, {1}, {2}, {3}])
    assert not order.has_overlap
    assert order.waits == [(), ((0, 1),), ((1, 1),), ((0, 2), (1, 1)), ((2, 1),)]


def test_an_instruction_that_runs_nothing_passes_on_what_it_waits_for() -> None:
    order = LaneOrder([1, None, 0], [set(), {0}, {1}])
    assert order.waits == [(), (), ((1, 1),)]


def test_no_instructions_have_no_lanes() -> None:
    assert not LaneOrder([], []).has_overlap
