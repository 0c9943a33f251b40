"""Check a plan without trusting whoever made it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite.subgraph.numbered_ops import NumberedOps, Region, RegionNode

_HOST = -1


def check_plan(
    nodes: Iterable[RegionNode],
    regions: Sequence[Region],
    devices: Iterable[str] | None = None,
    complete: bool = True,
) -> list[str]:
    """What is wrong with a plan, one sentence each; nothing for a valid one.

    Run in the given order, each region at once and ops outside as early as they can, every op must find
    its inputs.  Where that works, contracting the regions leaves no cycle, and no path leaves a region
    and enters it again.  With `complete`, every op that one of `devices` supports (by default any device)
    must be in a region.

    Raises `GraphError` for a name given twice and for a cycle among the ops.
    """
    graph = NumberedOps(nodes)
    known = set(graph.names)
    place: dict[str, tuple[int, int]] = {}
    problems: list[str] = []
    for number, (_, names) in enumerate(regions):
        for position, name in enumerate(names):
            if name not in known:
                problems.append(f"{_region(regions, number)} holds {name!r}, which is no op of the graph")
            elif name in place:
                problems.append(f"{name!r} is in region {place[name][0]} and in region {number}")
            place.setdefault(name, (number, position))
    wanted = None if devices is None else set(devices)
    latest: list[int] = []
    """The region that must have run before an op can."""
    for node, sources in zip(graph.nodes, graph.sources, strict=True):
        name = node["name"]
        supported = set(node["supported_by"])
        number, position = place.get(name, (_HOST, 0))
        latest.append(max([latest[source] for source in sources], default=_HOST))
        if number == _HOST:
            if complete and (supported if wanted is None else supported & wanted):
                problems.append(
                    f"{name!r} is in no region; it is supported by {', '.join(sorted(supported))}"
                )
            continue
        if regions[number][0] not in supported:
            problems.append(f"{_region(regions, number)} holds {name!r}, which its device does not support")
        for source in sources:
            placed = place.get(graph.names[source])
            early = latest[source] >= number if placed is None else placed >= (number, position)
            if early:
                problems.append(
                    f"{_region(regions, number)} runs {name!r} before {graph.names[source]!r}, which it reads"
                )
        latest[-1] = number
    return problems


def _region(regions: Sequence[Region], number: int) -> str:
    return f"region {number} of {regions[number][0]}"
