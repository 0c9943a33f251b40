"""Orders that need less memory, against all orders of small graphs."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from lite.memory.order import OrderedOp, least_peak_order, peak_bytes

Drawn = tuple[list[OrderedOp], list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    """Each op writes a buffer of its own and reads some earlier ones; some pass over the memory."""
    count = draw(st.integers(0, 7))
    ops = []
    for n in range(count):
        reads = sorted(draw(st.sets(st.integers(0, n - 1), max_size=3))) if n else []
        after = sorted(draw(st.sets(st.integers(0, n - 1), max_size=1))) if n else []
        takes_over = draw(st.booleans())
        reuses = ((n, reads[0]),) if reads and takes_over else ()
        ops.append(OrderedOp(tuple(reads), (n,), tuple(after), reuses))
    return ops, draw(st.lists(st.integers(0, 100), min_size=count, max_size=count))


def is_valid(ops: list[OrderedOp], order: tuple[int, ...]) -> bool:
    place = {n: position for position, n in enumerate(order)}
    return all(place[source] < place[n] for n in order for source in (*ops[n].reads, *ops[n].after))


def peak(ops: list[OrderedOp], sizes: list[int], order: tuple[int, ...]) -> int:
    """The definition: at each op, the buffers that were written and are read now or later, or written now."""
    most = 0
    for position, n in enumerate(order):
        written, rest = set(order[: position + 1]), order[position:]
        used = {m for m in written if m == n or any(m in ops[later].reads for later in rest)}
        later_reads = {m for later in order[position + 1 :] for m in ops[later].reads}
        taken = sum(min(sizes[out], sizes[m]) for out, m in ops[n].reuses if m not in later_reads)
        most = max(most, sum(sizes[m] for m in used) - taken)
    return most


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(graphs())
def test_the_order_is_valid_and_has_the_lowest_peak_of_all(graph: Drawn) -> None:
    ops, sizes = graph
    order = tuple(least_peak_order(ops, sizes))
    assert sorted(order) == list(range(len(ops)))
    assert is_valid(ops, order)
    valid = [each for each in itertools.permutations(range(len(ops))) if is_valid(ops, each)]
    assert peak_bytes(ops, sizes, order) == peak(ops, sizes, order)
    assert peak(ops, sizes, order) == min(peak(ops, sizes, each) for each in valid)


def test_the_given_order_is_kept_where_no_other_one_is_better() -> None:
    ops = [OrderedOp((), (0,)), OrderedOp((), (1,)), OrderedOp((0, 1), (2,))]
    assert least_peak_order(ops, [8, 8, 8]) == [0, 1, 2]


def test_a_branch_is_finished_before_the_next_one_begins() -> None:
    # Two large values, each of which becomes small.
    ops = [OrderedOp((), (0,)), OrderedOp((), (1,)), OrderedOp((0,), (2,)), OrderedOp((1,), (3,))]
    order = least_peak_order([*ops, OrderedOp((2, 3), (4,))], [100, 100, 1, 1, 1])
    assert order in ([0, 2, 1, 3, 4], [1, 3, 0, 2, 4])
