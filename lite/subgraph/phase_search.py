"""Search for the fewest phases in which devices can run a graph.

A valid plan is a schedule of phases: in each phase one device runs, and its ops become one region; ops
that no device takes run between phases at no cost.  It never helps to delay an op that the running
device could run, because an op that ran earlier only makes more ops ready.  So a plan is a sequence of
devices.

The search is breadth-first by number of phases, with dominance pruning: it drops a state whose finished
ops are a subset of another state's after the same number of phases.  The first state in which every op
has run has the fewest phases.  Large graphs exceed the work that the exact search may do; from then on it
is a beam search, which keeps the `BEAM` best states of each phase (B. Lowerre, "The Harpy speech
recognition system", 1976).  Regions found this way are convex, and their order proves that contracting
them leaves no cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lite.subgraph.op_graph import OpGraph, PlannedRegion

Candidates = Sequence[tuple[int, ...]]
"""For each op the devices that may run it."""

EXACT_WORK = 200_000
"""Ops that the search runs, summed over all states, before it becomes a beam search."""
BEAM = 3
"""States that the beam search keeps in each phase."""


def search_phases(
    graph: OpGraph, candidates: Candidates, exact_work: int | None = None
) -> list[PlannedRegion]:
    """The regions of the fewest phases that run every op with candidates once, first to last.

    There may be more phases than necessary if the exact search would take more than `exact_work`, by
    default `EXACT_WORK`.
    """
    limit = EXACT_WORK if exact_work is None else exact_work
    states = [_State.start(graph, candidates)]
    work = 0
    while all(any(state.ready) for state in states):
        reached: dict[int, _State] = {}
        for state in states:
            for device, ready in enumerate(state.ready):
                if ready:
                    after = state.after_phase(device)
                    reached.setdefault(after.finished, after)
                    work += len(after.group)
        states = _undominated(reached, BEAM if work > limit else len(reached))
        _advance_base(states)
    return next(state for state in states if not any(state.ready)).regions()


class _History(NamedTuple):
    """The region of a phase, and the phases before it."""

    region: PlannedRegion
    before: _History | None


class _State:
    """The ops that are finished after some phases.

    `finished` has one bit for each op that a device ran, starting with the op `base`; all ops before
    `base` are finished.  `ready` holds, by device, the ops that could run now.  `waiting` counts the
    sources that an op still waits for, for ops that wait for some but not all of them.
    """

    __slots__ = ("base", "candidates", "finished", "graph", "group", "history", "ready", "waiting")

    def __init__(
        self,
        graph: OpGraph,
        candidates: Candidates,
        base: int,
        finished: int,
        waiting: dict[int, int],
        ready: list[dict[int, None]],
        history: _History | None,
    ) -> None:
        self.graph = graph
        self.candidates = candidates
        self.base = base
        self.finished = finished
        self.waiting = waiting
        self.ready = ready
        self.history = history
        self.group: list[int] = []

    @classmethod
    def start(cls, graph: OpGraph, candidates: Candidates) -> _State:
        """Only the ops that no device takes have run."""
        state = cls(graph, candidates, 0, 0, {}, [{} for _ in range(graph.device_count)], None)
        state._enter([n for n, sources in enumerate(graph.sources) if not sources])
        return state

    def after_phase(self, device: int) -> _State:
        """The state after a phase in which the device runs all ops that it can."""
        after = _State(
            self.graph,
            self.candidates,
            self.base,
            self.finished,
            dict(self.waiting),
            [dict(ready) for ready in self.ready],
            self.history,
        )
        after._run(device)
        return after

    def regions(self) -> list[PlannedRegion]:
        """The regions of all phases so far, first to last."""
        regions: list[PlannedRegion] = []
        history = self.history
        while history is not None:
            regions.append(history.region)
            history = history.before
        return regions[::-1]

    def _run(self, device: int) -> None:
        """Run all ops that the device can run, then the ops that no device takes and that are ready."""
        candidates = self.candidates
        others: list[int] = []
        group = list(self.ready[device])
        for n in group:
            for candidate in candidates[n]:
                self.ready[candidate].pop(n, None)
            for reader in self._unlocked_by(n):
                (group if device in candidates[reader] else others).append(reader)
        first = (min(group) - self.base) // 8 * 8
        bits = bytearray((max(group) - self.base - first) // 8 + 1)
        for n in group:
            position = n - self.base - first
            bits[position // 8] |= 1 << position % 8
        self.finished |= int.from_bytes(bits, "little") << first
        self.group = group
        self.history = _History(PlannedRegion(device, tuple(group)), self.history)
        self._enter(others)

    def _enter(self, pending: list[int]) -> None:
        """Mark ops, whose sources have all run, as ready; run those that no device takes."""
        for n in pending:
            if self.candidates[n]:
                for device in self.candidates[n]:
                    self.ready[device][n] = None
            else:
                pending += self._unlocked_by(n)

    def _unlocked_by(self, n: int) -> list[int]:
        """The readers of an op, which has just run, that wait for no other op."""
        waiting, sources = self.waiting, self.graph.sources
        unlocked: list[int] = []
        for reader in self.graph.readers[n]:
            left = waiting.pop(reader, 0) or len(sources[reader])
            if left == 1:
                unlocked.append(reader)
            else:
                waiting[reader] = left - 1
        return unlocked


def _undominated(states: Mapping[int, _State], most: int) -> list[_State]:
    """Up to `most` states whose finished ops are not a subset of another state's; most ops first."""
    kept: list[int] = []
    for finished in sorted(states, key=lambda bits: (-bits.bit_count(), bits)):
        if len(kept) < most and all(finished & ~other for other in kept):
            kept.append(finished)
    return [states[finished] for finished in kept]


def _advance_base(states: Sequence[_State]) -> None:
    """Drop the bits of the ops before the first one that is ready in any state: all states have run these."""
    first = min((min(ready) for state in states for ready in state.ready if ready), default=0)
    for state in states:
        state.finished >>= max(0, first - state.base)
        state.base = max(first, state.base)
