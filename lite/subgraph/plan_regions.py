"""Divide a graph among devices into the fewest or the cheapest regions: a pure function of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite.errors import ConfigError, suggest
from lite.subgraph.cost_placement import cheapest_takers
from lite.subgraph.numbered_ops import NumberedOps, Region, RegionNode
from lite.subgraph.phase_search import search_phases
from lite.subgraph.transfer_cost import BANDWIDTH

__all__ = ["PLACEMENTS", "Region", "RegionNode", "plan_regions"]

PLACEMENTS = ("priority", "fewest_regions", "cost")


def plan_regions(
    nodes: Iterable[RegionNode],
    devices: Sequence[str],
    placement: str = "priority",
    connected: bool = False,
    bandwidth: float = BANDWIDTH,
) -> list[Region]:
    """Regions that cover every op which one of `devices` supports, in an order in which they can run.

    With placement "priority" each op goes to the first of `devices` that supports it; with
    "fewest_regions" to whichever makes fewer regions; with "cost" to whichever makes the whole cheaper:
    the ops' costs, and the boundaries' at `bandwidth` bytes per second.  With `connected`, regions are
    split where their ops do not hang together.  Nodes may come in any order; it does not change the
    number of regions.

    Raises `ConfigError` for an unknown placement, `GraphError` for a name given twice and for a cycle.
    """
    if placement not in PLACEMENTS:
        raise ConfigError(
            f"placement {placement!r} is none of {', '.join(PLACEMENTS)}{suggest(placement, PLACEMENTS)}"
        )
    graph = NumberedOps(nodes)
    devices = list(dict.fromkeys(devices))
    able = [_takers(node, devices) for node in graph.nodes]
    if placement == "priority":
        able = [takers[:1] for takers in able]
    elif placement == "cost":
        able = cheapest_takers(graph, able, devices, bandwidth)
    regions = [(devices[phase.device], phase.ops) for phase in search_phases(graph, able, len(devices))]
    if connected:
        regions = [(device, part) for device, group in regions for part in _parts(graph, group)]
    return [(device, [graph.names[n] for n in group]) for device, group in regions]


def _takers(node: RegionNode, devices: Sequence[str]) -> tuple[int, ...]:
    return tuple(n for n, device in enumerate(devices) if device in node["supported_by"])


def _parts(graph: NumberedOps, group: Sequence[int]) -> list[tuple[int, ...]]:
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
    return [tuple(found) for found in parts.values()]
