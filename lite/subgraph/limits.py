"""Split a region that exceeds its device's limits where the fewest bytes cross."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from lite.dataclass import dataclass
from lite.plugin.device import Limits
from lite.subgraph.live_bytes import LiveBytes
from lite.subgraph.op_graph import BANDWIDTH, REGION_SECONDS
from lite.subgraph.split_op import SplitOp

PART_BYTES = round(REGION_SECONDS * BANDWIDTH)
"""One more part costs as much as this many bytes across the boundary."""

_COUNTED = {"ops": "ops", "weight_bytes": "bytes of weights", "inputs": "inputs", "outputs": "outputs"}
"""The limits that a part must keep, with the words for messages."""

_REFUSAL = 1 << 44
"""The cost of refusing an op: more than all bytes that ever cross."""

_NEVER = np.iinfo(np.int64).max

_GROWING = frozenset({"ops", "weight_bytes"})
"""Limits whose count never decreases when a part becomes longer."""


@dataclass
class Split:
    """The parts of a region as ranges of its ops, in running order.

    `refused` holds the ops that exceed a limit alone, each with the reason.  `reason` says why there are
    several parts.
    """

    parts: list[range] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    reason: str = field(default="", compare=False)


def split_for_limits(ops: Sequence[SplitOp], limits: Limits) -> Split:
    """Cut a region, whose ops are given in running order, into parts that keep the limits.

    Every part is a range of that order, so the parts of a convex region are convex.  Dynamic programming
    over the cuts finds the cheapest division of that kind: the fewest bytes that parts read from earlier
    parts, plus `PART_BYTES` for each part.  As few ops as possible are refused, and no part contains a
    refused op.

    A value that a part reads twice is one input; a weight that it uses twice counts once; a value is an
    output when another part reads it or it is read outside the region.  The time grows with the number of
    ops times the largest part that the limits of ops and weights allow, in vectorised steps.
    """
    caps = {key: cap for key in _COUNTED if (cap := getattr(limits, key)) is not None}
    live = LiveBytes(ops, limits)
    if not caps and not live.is_bounded:
        return Split([range(len(ops))] if ops else [])
    sweep = _Sweep(ops, caps, live)
    for last in range(len(ops)):
        sweep.append(last)
    split = Split()
    for part in sweep.parts():
        if part[-1] in sweep.refusals:
            split.refused[part[-1]] = sweep.refusals[part[-1]]
        else:
            split.parts.append(part)
    if len(split.parts) + len(split.refused) > 1:
        split.reason = " and ".join(sweep.exceeded(0, len(ops) - 1))
    return split


class _Sweep:
    """Counts and costs of all parts that end with the op appended last, by the part's first op."""

    def __init__(self, ops: Sequence[SplitOp], caps: Mapping[str, int], live: LiveBytes) -> None:
        self.ops = ops
        self.caps = caps
        self.live = live
        self.counts = {key: np.zeros(len(ops), np.int64) for key in caps}
        self.cost = np.zeros(len(ops), np.int64)
        """The cost of the best parts before, plus the bytes that this part reads from them."""
        self.best = np.zeros(len(ops) + 1, np.int64)
        """The cost of the best parts that end before each op."""
        self.first = [0] * len(ops)
        """The first op of the best part that ends with each op."""
        self.refusals: dict[int, str] = {}
        """Why it is best to refuse an op, for plans whose previous part ends before it."""
        self.lowest = 0
        """Parts that begin earlier cannot hold the last op."""
        self.written: dict[int, tuple[int, int]] = {}
        """The op that writes a value, and the bytes of the value."""
        self.last_read: dict[int, int] = {}
        """The last op that reads a value."""
        self.last_used: dict[int, int] = {}
        """The last op that uses a weight."""
        self.readers_left = Counter(value for op in ops for value in set(op.inputs))

    def append(self, last: int) -> None:
        """Let parts end with the op `last`, and choose the best of them."""
        op = self.ops[last]
        self.cost[last] = self.best[last]
        self._add("ops", 0, last, 1)
        for weight, size in op.weights.items():
            self._add("weight_bytes", self.last_used.get(weight, -1) + 1, last, size)
            self.last_used[weight] = last
        for value in dict.fromkeys(op.inputs):
            writer, size = self.written.get(value, (-1, 0))
            first = max(writer, self.last_read.get(value, -1)) + 1
            self.last_read[value] = last
            self._add("inputs", first, last, 1)
            self.cost[max(first, self.lowest) : last + 1] += size
            self.readers_left[value] -= 1
            if writer >= 0 and not self._leaves(value, writer):
                self._add("outputs", 0, writer, -1)
        for value, size in op.outputs.items():
            self.written[value] = last, size
            if self._leaves(value, last):
                self._add("outputs", 0, last, 1)
        self._choose(last)

    def parts(self) -> list[range]:
        """The best parts in order; a refused op is a part of its own."""
        parts: list[range] = []
        end = len(self.ops)
        while end > 0:
            parts.append(range(self.first[end - 1], end))
            end = self.first[end - 1]
        return parts[::-1]

    def _choose(self, last: int) -> None:
        """Find the best part that ends with the op `last`."""
        for key in _GROWING & self.caps.keys():
            while self.lowest <= last and self.counts[key][self.lowest] > self.caps[key]:
                self.lowest += 1
        while self.live.is_bounded and self.lowest <= last and self.live.exceeds(self.lowest, last):
            self.lowest += 1
        span = slice(self.lowest, last + 1)
        cost = self.cost[span]
        for key in self.caps.keys() - _GROWING:
            cost = np.where(self.counts[key][span] <= self.caps[key], cost, _NEVER)
        cheapest = int(cost.argmin()) if len(cost) else 0
        refused = self.cost[last] + _REFUSAL
        if len(cost) and cost[cheapest] < refused:
            self.first[last] = self.lowest + cheapest
            self.best[last + 1] = cost[cheapest] + PART_BYTES
        else:
            self.first[last] = last
            self.best[last + 1] = refused
            self.refusals[last] = f"alone it has {' and '.join(self.exceeded(last, last))}"

    def exceeded(self, first: int, last: int) -> list[str]:
        """The limits that the part from `first` to `last`, the op appended last, exceeds, in words."""
        exceeded = [
            f"{self.counts[key][first]:,} {_COUNTED[key]}, more than the {cap:,} of a region"
            for key, cap in self.caps.items()
            if self.counts[key][first] > cap
        ]
        return [*exceeded, *(self.live.reasons(first, last) if self.live.is_bounded else ())]

    def _add(self, key: str, first: int, last: int, amount: int) -> None:
        """Add to the count of parts that begin with the ops `first` to `last`."""
        if key in self.counts:
            self.counts[key][max(first, self.lowest) : last + 1] += amount

    def _leaves(self, value: int, writer: int) -> bool:
        """Whether a value is still read by later ops or outside the region."""
        return self.readers_left[value] > 0 or value in self.ops[writer].read_outside
