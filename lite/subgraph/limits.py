"""Split a region that is larger than its device allows, where the fewest bytes cross."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from lite.plugin.device import Limits
from lite.subgraph.transfer_cost import BANDWIDTH, REGION_SECONDS

PART_BYTES = round(REGION_SECONDS * BANDWIDTH)
"""One more part costs as much as this many bytes over the boundary."""

_COUNTED = {"ops": "ops", "weight_bytes": "bytes of weights", "inputs": "inputs", "outputs": "outputs"}
"""The limits that parts keep, and what they count."""

_REFUSAL = 1 << 44
"""Cost of refusing an op: more than all bytes that ever cross."""

_NEVER = np.iinfo(np.int64).max

_GROWING = frozenset({"ops", "weight_bytes"})
"""Those that a longer part never has less of."""


class SplitNode(TypedDict):
    """An op of a region.

    `inputs` names the values it reads that are no constants, `outputs` gives those it writes with their
    bytes, of which `read_outside` are read outside the region; `weights` its constants with their bytes.
    """

    name: str
    inputs: Sequence[str]
    outputs: Mapping[str, int]
    read_outside: Collection[str]
    weights: Mapping[str, int]


@dataclass
class Split:
    """The parts of a region in running order; `refused` says why an op is above a limit by itself."""

    parts: list[list[str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def split_for_limits(nodes: Sequence[SplitNode], limits: Limits) -> Split:
    """Cut a region, whose ops are given in running order, into parts that keep the limits.

    Every part is a run of that order, so parts of a convex region are convex.  Among those the cuts are
    the cheapest: the fewest bytes that parts read from earlier ones, where each part costs `PART_BYTES`
    more.  As few ops as possible are refused, those that no part can hold; no part reaches across them.

    A value that a part reads twice is one input; a weight that it uses twice counts once; a value is an
    output when another part or what is outside the region reads it.  Time grows with the ops times those
    of the largest part that the limits of ops and weights allow, in steps of numpy.
    """
    caps = {key: cap for key in _COUNTED if (cap := getattr(limits, key)) is not None}
    names = [node["name"] for node in nodes]
    if not caps:
        return Split([names] if names else [])
    sweep = _Sweep(nodes, caps)
    for at in range(len(nodes)):
        sweep.append(at)
    split = Split()
    for first, last in sweep.parts():
        if last in sweep.refusals:
            split.refused[names[last]] = sweep.refusals[last]
        else:
            split.parts.append(names[first : last + 1])
    return split


class _Sweep:
    """What parts that end with the op appended last would hold and cost, by their first op."""

    def __init__(self, nodes: Sequence[SplitNode], caps: Mapping[str, int]) -> None:
        self.nodes = nodes
        self.caps = caps
        self.held = {key: np.zeros(len(nodes), np.int64) for key in caps}
        self.cost = np.zeros(len(nodes), np.int64)
        """Of the best parts before, and the bytes that this one reads from them."""
        self.best = np.zeros(len(nodes) + 1, np.int64)
        """The cost of the best parts that end before each op."""
        self.first = [0] * len(nodes)
        """The first op of the best part that ends with each op."""
        self.refusals: dict[int, str] = {}
        """Why an op is best refused, if the part before ends there."""
        self.lowest = 0
        """No part that begins earlier can hold the last op."""
        self.written: dict[str, tuple[int, int]] = {}
        """The op that writes a value, and its bytes."""
        self.used: dict[tuple[str, str], int] = {}
        """The last op that reads a value or a weight."""
        self.readers_left = Counter(value for node in nodes for value in set(node["inputs"]))

    def append(self, at: int) -> None:
        """Let parts end with the op `at`, and choose the best one that does."""
        node = self.nodes[at]
        self.cost[at] = self.best[at]
        self._add("ops", 0, at, 1)
        for weight, size in node["weights"].items():
            self._add("weight_bytes", self._last_use("weight", weight, at) + 1, at, size)
        for value in dict.fromkeys(node["inputs"]):
            writer, size = self.written.get(value, (-1, 0))
            first = max(writer, self._last_use("value", value, at)) + 1
            self._add("inputs", first, at, 1)
            self.cost[max(first, self.lowest) : at + 1] += size
            self.readers_left[value] -= 1
            if writer >= 0 and not self._leaves(value, writer):
                self._add("outputs", 0, writer, -1)
        for value, size in node["outputs"].items():
            self.written[value] = at, size
            if self._leaves(value, at):
                self._add("outputs", 0, at, 1)
        self._choose(at)

    def parts(self) -> list[tuple[int, int]]:
        """First and last op of each part; a refused op is one."""
        found: list[tuple[int, int]] = []
        last = len(self.nodes) - 1
        while last >= 0:
            found.append((self.first[last], last))
            last = self.first[last] - 1
        return found[::-1]

    def _choose(self, at: int) -> None:
        """Find the best part that ends with the op `at`."""
        for key in _GROWING & self.caps.keys():
            while self.lowest <= at and self.held[key][self.lowest] > self.caps[key]:
                self.lowest += 1
        span = slice(self.lowest, at + 1)
        cost = self.cost[span]
        for key in self.caps.keys() - _GROWING:
            cost = np.where(self.held[key][span] <= self.caps[key], cost, _NEVER)
        chosen = int(cost.argmin()) if len(cost) else 0
        refused = self.cost[at] + _REFUSAL
        if len(cost) and cost[chosen] < refused:
            self.first[at] = self.lowest + chosen
            self.best[at + 1] = cost[chosen] + PART_BYTES
        else:
            self.first[at] = at
            self.best[at + 1] = refused
            self.refusals[at] = self._above(at)

    def _above(self, at: int) -> str:
        """The limits that the op exceeds alone."""
        above = (
            f"{self.held[key][at]:,} {_COUNTED[key]}, more than the {cap:,} of a region"
            for key, cap in self.caps.items()
            if self.held[key][at] > cap
        )
        return f"alone it has {' and '.join(above)}"

    def _add(self, key: str, first: int, last: int, amount: int) -> None:
        """Add to what parts hold that begin with the ops `first` to `last`."""
        if key in self.held:
            self.held[key][max(first, self.lowest) : last + 1] += amount

    def _last_use(self, kind: str, name: str, at: int) -> int:
        last = self.used.get((kind, name), -1)
        self.used[kind, name] = at
        return last

    def _leaves(self, value: str, writer: int) -> bool:
        return self.readers_left[value] > 0 or value in self.nodes[writer]["read_outside"]
