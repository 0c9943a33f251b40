"""LaneOrder: which instructions wait for which, and which may run at the same time.

Vector clocks (C. Fidge, "Timestamps in message-passing systems that preserve the partial ordering", 1988):
the clock of an instruction says for each lane how many of its instructions have finished for certain.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Sequence

Clock = tuple[int, ...]
"""By lane: how many of its instructions have finished."""


class LaneOrder:
    """The order of instructions in lanes.

    `lanes` has the lane of each instruction, in running order; None for one that runs nothing.  `sources` has
    the earlier instructions that it depends on.  One that runs nothing passes its sources on to those that
    depend on it.
    """

    def __init__(self, lanes: Sequence[int | None], sources: Sequence[Collection[int]]) -> None:
        self.lanes = lanes
        self.count = 1 + max((lane for lane in lanes if lane is not None), default=-1)
        self.members: list[list[int]] = [[] for _ in range(self.count)]
        """The instructions of each lane."""
        self.waits: list[tuple[tuple[int, int], ...]] = []
        """By instruction: other lanes, and how many of their instructions must finish before it."""
        self._numbers: list[int] = []
        """The number of each instruction in its lane."""
        self._before: list[Clock] = []
        """The clock at the start of each instruction."""
        start = (0,) * self.count
        after: list[Clock] = []
        ends = [start] * self.count
        """The clock at the present end of each lane."""
        for n, lane in enumerate(lanes):
            known = start if lane is None else ends[lane]
            clock = tuple(map(max, known, *(after[source] for source in sources[n]))) if sources[n] else known
            self._before.append(clock)
            if lane is None:
                self._numbers.append(-1)
                self.waits.append(())
                after.append(clock)
                continue
            self._numbers.append(len(self.members[lane]))
            self.members[lane].append(n)
            self.waits.append(tuple((k, clock[k]) for k in range(self.count) if clock[k] > known[k]))
            ends[lane] = (*clock[:lane], len(self.members[lane]), *clock[lane + 1 :])
            after.append(ends[lane])

    def until(self, n: int) -> int:
        """The last instruction that may start before `n` has finished; `n` if there is no later one."""
        lane, last = self.lanes[n], n
        if lane is None:
            return n
        for other, members in enumerate(self.members):
            if other == lane:
                continue
            # The instructions of a lane know of more and more: those that know that `n` finished come last.
            free = bisect.bisect_right(members, self._numbers[n], key=lambda each: self._before[each][lane])
            if free:
                last = max(last, members[free - 1])
        return last

    @property
    def has_overlap(self) -> bool:
        """Whether any two instructions may run at the same time."""
        return any(self.until(n) > n for n in range(len(self.lanes)))
