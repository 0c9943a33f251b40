"""The fewest phases in which devices can run a graph.

A valid plan is a schedule of phases.  Each phase runs one device and becomes one region; ops that no
device takes run between phases, for free.  A device that runs may as well run all it can, since an op
done earlier only unlocks more.  So a plan is a sequence of devices, and the search is over those,
breadth-first by phases, dropping states that another one of the same length contains.  Regions made
this way are convex, and their order shows that contracting them leaves no cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lite.subgraph.numbered_ops import NumberedOps

Takers = Sequence[tuple[int, ...]]
"""For each op the numbers of the devices that may run it."""

EXACT_WORK = 200_000
"""Ops that the search runs, over all states, before it keeps only the best states of each phase."""
BEAM = 3
"""How many it keeps from then on."""


@dataclass(frozen=True)
class Phase:
    """A device's number and the ops it runs, in order, with the phase before."""

    device: int
    ops: tuple[int, ...]
    before: Phase | None


def search_phases(
    graph: NumberedOps, takers: Takers, devices: int, exact_work: int | None = None
) -> list[Phase]:
    """The phases, first to last, in which every op that some device takes has run once.

    As few as possible, unless the graph is so large that `exact_work`, by default `EXACT_WORK`, ends the
    exact search.
    """
    exact_work = EXACT_WORK if exact_work is None else exact_work
    states = [_State.start(graph, takers, devices)]
    work = 0
    while all(any(state.ready) for state in states):
        grown: dict[int, _State] = {}
        for state in states:
            for device, ready in enumerate(state.ready):
                if ready:
                    after = state.phase(device)
                    grown.setdefault(after.done, after)
                    work += len(after.group)
        states = _undominated(grown, BEAM if work > exact_work else len(grown))
        _drop_settled(states)
    ended = next(state for state in states if not any(state.ready))
    return ended.phases()


class _State:
    """What is done after some phases.

    `done` has a bit for each finished op that a device took, from the op `base` on; all before are
    finished.  `ready` are those that could run now, by device; `waiting` counts the inputs that an op
    still lacks, for ops that lack some and not all.
    """

    __slots__ = ("base", "done", "graph", "group", "last", "ready", "takers", "waiting")

    def __init__(
        self,
        graph: NumberedOps,
        takers: Takers,
        base: int,
        done: int,
        waiting: dict[int, int],
        ready: list[dict[int, None]],
        last: Phase | None,
    ) -> None:
        self.graph = graph
        self.takers = takers
        self.base = base
        self.done = done
        self.waiting = waiting
        self.ready = ready
        self.last = last
        self.group: list[int] = []

    @classmethod
    def start(cls, graph: NumberedOps, takers: Takers, devices: int) -> _State:
        """Nothing done but what no device takes."""
        state = cls(graph, takers, 0, 0, {}, [{} for _ in range(devices)], None)
        state._release([n for n, sources in enumerate(graph.sources) if not sources])
        return state

    def phase(self, device: int) -> _State:
        """The state after the device ran all it could."""
        after = _State(
            self.graph,
            self.takers,
            self.base,
            self.done,
            dict(self.waiting),
            [dict(ready) for ready in self.ready],
            self.last,
        )
        after._run(device)
        return after

    def phases(self) -> list[Phase]:
        """The phases that led here."""
        found: list[Phase] = []
        phase = self.last
        while phase is not None:
            found.append(phase)
            phase = phase.before
        return found[::-1]

    def _run(self, device: int) -> None:
        """Let a device run all it can, then everything that no device takes."""
        takers = self.takers
        unclaimed: list[int] = []
        group = list(self.ready[device])
        for n in group:
            for taker in takers[n]:
                self.ready[taker].pop(n, None)
            for reader in self._unlocked(n):
                (group if device in takers[reader] else unclaimed).append(reader)
        first = (min(group) - self.base) // 8 * 8
        bits = bytearray((max(group) - self.base - first) // 8 + 1)
        for n in group:
            place = n - self.base - first
            bits[place // 8] |= 1 << place % 8
        self.done |= int.from_bytes(bits, "little") << first
        self.group = group
        self.last = Phase(device, tuple(group), self.last)
        self._release(unclaimed)

    def _release(self, pending: list[int]) -> None:
        """Enter ops that have all their inputs; run those that no device takes."""
        for n in pending:
            if self.takers[n]:
                for device in self.takers[n]:
                    self.ready[device][n] = None
            else:
                pending += self._unlocked(n)

    def _unlocked(self, n: int) -> list[int]:
        """The ops that lacked only this one."""
        waiting, sources = self.waiting, self.graph.sources
        found: list[int] = []
        for reader in self.graph.readers[n]:
            left = waiting.pop(reader, 0) or len(sources[reader])
            if left == 1:
                found.append(reader)
            else:
                waiting[reader] = left - 1
        return found


def _undominated(states: Mapping[int, _State], most: int) -> list[_State]:
    """States that no other contains, those with most done first, and no more than `most`."""
    kept: list[int] = []
    for done in sorted(states, key=lambda bits: (-bits.bit_count(), bits)):
        if len(kept) < most and all(done & ~other for other in kept):
            kept.append(done)
    return [states[done] for done in kept]


def _drop_settled(states: Sequence[_State]) -> None:
    """Forget ops before the first that some state has yet to run: an unfinished one that could run now."""
    first = min((min(ready) for state in states for ready in state.ready if ready), default=0)
    for state in states:
        state.done >>= max(0, first - state.base)
        state.base = max(first, state.base)
