"""Divide a graph among devices into the fewest regions: a pure function of names.

A valid plan is a schedule of phases.  Each phase runs one device and becomes one region; ops that no
device takes run between phases, for free.  A device that runs may as well run all it can, since an op
done earlier only unlocks more.  So a plan is a sequence of devices, and the search is over those,
breadth-first by phases, dropping states that another one of the same length contains.  Regions made
this way are convex, and their order shows that contracting them leaves no cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from lite.errors import ConfigError, GraphError, suggest

Region = tuple[str, list[str]]
"""A device and the names of its ops, in an order in which they can run."""

PLACEMENTS = ("priority", "fewest_regions")

EXACT_WORK = 4_000_000
"""Nodes times states that the search visits before it keeps only the best states of each phase."""
BEAM = 4
"""How many it keeps from then on."""


class RegionNode(TypedDict):
    """An op: a unique name, the names of what it reads (others than ops' are inputs of the graph), and
    the devices that can run it."""

    name: str
    inputs: Sequence[str]
    supported_by: Sequence[str]


def plan_regions(
    nodes: Iterable[RegionNode],
    devices: Sequence[str],
    placement: str = "priority",
    connected: bool = False,
) -> list[Region]:
    """Regions that cover every op which one of `devices` supports, in an order in which they can run.

    With placement "priority" each op goes to the first of `devices` that supports it; with
    "fewest_regions" to whichever makes fewer regions.  With `connected`, regions are split where
    their ops do not hang together.  Nodes may come in any order; it does not change the number of
    regions.

    Raises `ConfigError` for an unknown placement, `GraphError` for a name given twice and for a cycle.
    """
    if placement not in PLACEMENTS:
        raise ConfigError(
            f"placement {placement!r} is none of {', '.join(PLACEMENTS)}{suggest(placement, PLACEMENTS)}"
        )
    graph = _Graph(nodes, list(dict.fromkeys(devices)), placement == "priority")
    regions = [(graph.devices[device], group) for device, group in _search(graph).phases()]
    if connected:
        regions = [(device, part) for device, group in regions for part in _parts(graph, group)]
    return [(device, [graph.names[n] for n in group]) for device, group in regions]


class _Graph:
    """Ops as numbers, in the order of their names where the number of regions may depend on it."""

    def __init__(self, nodes: Iterable[RegionNode], devices: list[str], fixed: bool) -> None:
        ordered = sorted(nodes, key=lambda node: node["name"])
        self.devices = devices
        self.names = [node["name"] for node in ordered]
        number = {name: n for n, name in enumerate(self.names)}
        if len(number) != len(ordered):
            twice = Counter(self.names).most_common(1)[0][0]
            raise GraphError(f"two ops are called {twice!r}; names must be unique")
        self.takers = [_takers(node, devices, fixed) for node in ordered]
        self.readers: list[list[int]] = [[] for _ in ordered]
        self.waiting = [0] * len(ordered)
        for n, node in enumerate(ordered):
            for source in dict.fromkeys(node["inputs"]):
                if source in number:
                    self.readers[number[source]].append(n)
                    self.waiting[n] += 1


def _takers(node: RegionNode, devices: Sequence[str], fixed: bool) -> tuple[int, ...]:
    takers = tuple(n for n, device in enumerate(devices) if device in node["supported_by"])
    return takers[:1] if fixed else takers


@dataclass
class _State:
    """What is done after some phases; `waiting` counts the inputs an op still lacks."""

    graph: _Graph
    done: bytearray
    """1 for each finished op."""
    waiting: list[int]
    ready: list[dict[int, None]]
    """Ops that could run now, by device."""
    device: int = -1
    group: tuple[int, ...] = ()
    before: _State | None = None

    @classmethod
    def start(cls, graph: _Graph) -> _State:
        """Nothing done but what no device takes."""
        done = bytearray(len(graph.names))
        state = cls(graph, done, list(graph.waiting), [{} for _ in graph.devices])
        state._release([n for n, count in enumerate(graph.waiting) if count == 0])
        return state

    def phase(self, device: int) -> _State:
        """The state after the device ran all it could."""
        after = _State(
            self.graph,
            bytearray(self.done),
            list(self.waiting),
            [dict(ready) for ready in self.ready],
            device,
            before=self,
        )
        after.run(device)
        return after

    def run(self, device: int) -> None:
        """Let a device run all it can, then everything that no device takes."""
        group: list[int] = []
        unclaimed: list[int] = []
        pending = list(self.ready[device])
        for n in pending:
            self._finish(n)
            group.append(n)
            for reader in self.graph.readers[n]:
                self.waiting[reader] -= 1
                if self.waiting[reader] == 0:
                    (pending if device in self.graph.takers[reader] else unclaimed).append(reader)
        self.group = tuple(group)
        self._release(unclaimed)

    def phases(self) -> list[tuple[int, Sequence[int]]]:
        """The phases that led here; raises `GraphError` when ops are left that can never run."""
        stuck = [name for name, done in zip(self.graph.names, self.done, strict=True) if not done]
        if stuck:
            raise GraphError(f"the ops form a cycle; among them or behind it: {', '.join(stuck[:5])}")
        found: list[tuple[int, Sequence[int]]] = []
        state: _State | None = self
        while state is not None and state.device >= 0:
            found.append((state.device, state.group))
            state = state.before
        return found[::-1]

    def _finish(self, n: int) -> None:
        self.done[n] = 1
        for device in self.graph.takers[n]:
            self.ready[device].pop(n, None)

    def _release(self, pending: list[int]) -> None:
        """Enter ops that have all their inputs; run those that no device takes."""
        for n in pending:
            if self.graph.takers[n]:
                for device in self.graph.takers[n]:
                    self.ready[device][n] = None
                continue
            self._finish(n)
            for reader in self.graph.readers[n]:
                self.waiting[reader] -= 1
                if self.waiting[reader] == 0:
                    pending.append(reader)


def _search(graph: _Graph) -> _State:
    states = [_State.start(graph)]
    work = 0
    while True:
        ended = next((state for state in states if not any(state.ready)), None)
        if ended is not None:
            return ended
        grown: dict[int, _State] = {}
        for state in states:
            for device, ready in enumerate(state.ready):
                if ready:
                    after = state.phase(device)
                    grown.setdefault(int.from_bytes(after.done, "little"), after)
        work += len(grown) * len(graph.names)
        states = _undominated(grown, BEAM if work > EXACT_WORK else len(grown))


def _undominated(states: Mapping[int, _State], most: int) -> list[_State]:
    """States that no other contains, those with most done first, and no more than `most`."""
    kept: list[int] = []
    for done in sorted(states, key=lambda bits: (-bits.bit_count(), bits)):
        if len(kept) < most and all(done & ~other for other in kept):
            kept.append(done)
    return [states[done] for done in kept]


def _parts(graph: _Graph, group: Sequence[int]) -> list[list[int]]:
    """The weakly connected parts of a region, each in the region's order."""
    part = {n: n for n in group}

    def find(n: int) -> int:
        while part[n] != n:
            part[n] = part[part[n]]
            n = part[n]
        return n

    for n in group:
        for reader in graph.readers[n]:
            if reader in part:
                part[find(reader)] = find(n)
    parts: dict[int, list[int]] = {}
    for n in group:
        parts.setdefault(find(n), []).append(n)
    return list(parts.values())
