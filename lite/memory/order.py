"""The order of ops in which the fewest bytes are in use at one time."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

WORK = 150_000
"""Ops that a search tries at most: it follows fewer orders of a larger graph."""

WIDTH = 64
"""The most orders that a search follows at once."""


@dataclass(frozen=True)
class OrderedOp:
    """An op by the numbers of the buffers that it reads and writes, and of the ops that must come before it.

    `reuses` are pairs of a written and a read buffer whose memory the written one takes over if nothing else
    reads that later.
    """

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    reuses: tuple[tuple[int, int], ...] = ()


def peak_bytes(ops: Sequence[OrderedOp], sizes: Sequence[int], order: Sequence[int]) -> int:
    """The most bytes in use during an op, if the ops run in this order."""
    state = _State()
    search = _Search(ops, sizes)
    for n in order:
        state = search.after(state, n)
    return state.peak


def least_peak_order(ops: Sequence[OrderedOp], sizes: Sequence[int]) -> list[int]:
    """An order with a low peak: never above that of the order 0, 1, 2, …, which is valid.

    A beam search over the sets of finished ops, in the manner of dynamic programming (B. Ahn et al.,
    "Ordering chaos: memory-aware scheduling of irregularly wired neural networks", 2020): of all orders of a
    set, the one with the lowest peak is kept, and of all sets of one size some with the lowest peaks.
    """
    given = list(range(len(ops)))
    search = _Search(ops, sizes)
    width = max(1, min(WIDTH, WORK // (4 * max(1, len(ops)))))
    states = {0: _State()}
    for _ in ops:
        following: dict[int, _State] = {}
        for state in states.values():
            for n in search.ready(state):
                other = search.after(state, n)
                best = following.get(other.done)
                if best is None or (other.peak, other.live) < (best.peak, best.live):
                    following[other.done] = other
        kept = heapq.nsmallest(width, following.values(), key=lambda each: (each.peak, each.live, each.last))
        states = {state.done: state for state in kept}
    (found,) = states.values() or [_State()]
    order = found.order()
    return order if found.peak < peak_bytes(ops, sizes, given) else given


@dataclass(frozen=True, slots=True)
class _State:
    """Finished ops as bits, the bytes in use after them, and the peak so far."""

    done: int = 0
    live: int = 0
    peak: int = 0
    last: int = -1
    before: _State | None = None
    ready: frozenset[int] | None = None

    def order(self) -> list[int]:
        """The finished ops in their order."""
        found: list[int] = []
        state: _State | None = self
        while state is not None and state.last >= 0:
            found.append(state.last)
            state = state.before
        return found[::-1]


class _Search:
    """What follows from finishing an op."""

    def __init__(self, ops: Sequence[OrderedOp], sizes: Sequence[int]) -> None:
        self.ops, self.sizes = ops, sizes
        self.users = [0] * len(sizes)
        """The ops that read a buffer, or write it, as bits."""
        writers: dict[int, int] = {}
        for n, op in enumerate(ops):
            for buffer in (*op.reads, *op.writes):
                self.users[buffer] |= 1 << n
            writers.update(dict.fromkeys(op.writes, n))
        self.written = set(writers)
        self.needs = [0] * len(ops)
        self.followers: list[list[int]] = [[] for _ in ops]
        for n, op in enumerate(ops):
            sources = {writers[buffer] for buffer in op.reads if buffer in writers} | set(op.after)
            for source in sources - {n}:
                self.needs[n] |= 1 << source
                self.followers[source].append(n)
        self.first = frozenset(n for n, needs in enumerate(self.needs) if not needs)

    def ready(self, state: _State) -> frozenset[int]:
        """The ops that can run next."""
        return self.first if state.ready is None else state.ready

    def after(self, state: _State, n: int) -> _State:
        """The state after an op that can run."""
        op, done = self.ops[n], state.done | 1 << n
        new = sum(self.sizes[buffer] for buffer in op.writes)
        removed = {
            buffer
            for buffer in (*op.reads, *op.writes)
            if buffer in self.written and not self.users[buffer] & ~done
        }
        taken = sum(
            min(self.sizes[out], self.sizes[source]) for out, source in op.reuses if source in removed
        )
        live = state.live + new
        ready = {*self.ready(state)} - {n}
        ready.update(m for m in self.followers[n] if not self.needs[m] & ~done)
        return _State(
            done,
            live - sum(self.sizes[buffer] for buffer in removed),
            max(state.peak, live - taken),
            n,
            state,
            frozenset(ready),
        )
