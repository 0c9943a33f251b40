"""Divide a graph among devices into the fewest or the cheapest regions."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import ConfigError, suggest
from lite.subgraph import PLACEMENTS
from lite.subgraph.cost_placement import cheapest_candidates
from lite.subgraph.op_graph import BANDWIDTH, OpGraph, PlannedRegion
from lite.subgraph.phase_search import search_phases


def plan_regions(
    graph: OpGraph, placement: str = "priority", connected: bool = False, bandwidth: float = BANDWIDTH
) -> list[PlannedRegion]:
    """Regions that cover every op which some device can run, in an order in which they can run.

    With placement "priority" each op goes to the first device that can run it; with "fewest_regions" to
    the device that leads to fewer regions; with "cost" to the device that makes the whole cheaper: the
    time of the ops, and of the region boundaries at `bandwidth` bytes per second.  With `connected`, a
    region is split into its weakly connected parts.

    Raises `ConfigError` for an unknown placement.
    """
    if placement not in PLACEMENTS:
        raise ConfigError(
            f"placement {placement!r} is none of {', '.join(PLACEMENTS)}{suggest(placement, PLACEMENTS)}"
        )
    candidates = [op.devices for op in graph.ops]
    if placement == "priority":
        candidates = [devices[:1] for devices in candidates]
    elif placement == "cost":
        candidates = cheapest_candidates(graph, bandwidth)
    regions = search_phases(graph, candidates)
    if not connected:
        return regions
    return [PlannedRegion(each.device, part) for each in regions for part in _parts(graph, each.ops)]


def _parts(graph: OpGraph, ops: Sequence[int]) -> list[tuple[int, ...]]:
    """The weakly connected parts of a region, each in the region's order.

    By union-find with path halving (R. Tarjan, J. van Leeuwen, "Worst-case analysis of set union
    algorithms", 1984).
    """
    parent = {n: n for n in ops}

    def find(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    for n in ops:
        for reader in graph.readers[n]:
            if reader in parent:
                parent[find(reader)] = find(n)
    parts: dict[int, list[int]] = {}
    for n in ops:
        parts.setdefault(find(n), []).append(n)
    return [tuple(part) for part in parts.values()]
