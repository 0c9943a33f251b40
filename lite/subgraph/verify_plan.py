"""Check a plan independently of the planner that made it."""

from __future__ import annotations

from collections.abc import Sequence

from lite.subgraph.op_graph import HOST, OpGraph, PlannedRegion


def check_plan(
    graph: OpGraph,
    regions: Sequence[PlannedRegion],
    *,
    complete: bool = True,
    op_names: Sequence[str] = (),
    device_names: Sequence[str] = (),
) -> list[str]:
    """One sentence for each thing that is wrong with a plan; none for a valid plan.

    The check runs the regions in their order, and each op outside regions as early as possible: every op
    must find its sources.  A plan that passes leaves no cycle when its regions are contracted, and no
    path leaves a region and enters it again.  With `complete`, every op that some device can run must be
    in a region.  The sentences use the names, or else the numbers, of ops and devices.
    """
    named = _Names(op_names, device_names)
    place: dict[int, tuple[int, int]] = {}
    problems: list[str] = []
    for number, region in enumerate(regions):
        for position, n in enumerate(region.ops):
            if not 0 <= n < len(graph):
                problems.append(f"{named.region(regions, number)} holds {n}, which is not an op of the graph")
            elif n in place:
                problems.append(f"{named.op(n)} is in region {place[n][0]} and in region {number}")
            place.setdefault(n, (number, position))
    latest: list[int] = []
    """The last region that must have run before an op can run."""
    for n, op in enumerate(graph.ops):
        number, position = place.get(n, (HOST, 0))
        latest.append(max([latest[source] for source in op.sources], default=HOST))
        if number == HOST:
            if complete and op.devices:
                devices = ", ".join(map(named.device, op.devices))
                problems.append(f"{named.op(n)} is in no region; it is supported by {devices}")
            continue
        region_name = named.region(regions, number)
        if regions[number].device not in op.devices:
            problems.append(f"{region_name} holds {named.op(n)}, which its device does not support")
        for source in op.sources:
            placed = place.get(source)
            too_early = latest[source] >= number if placed is None else placed >= (number, position)
            if too_early:
                problems.append(f"{region_name} runs {named.op(n)} before {named.op(source)}, which it reads")
        latest[-1] = number
    return problems


class _Names:
    """How messages call ops, devices and regions."""

    def __init__(self, ops: Sequence[str], devices: Sequence[str]) -> None:
        self._ops = ops
        self._devices = devices

    def op(self, n: int) -> str:
        return repr(self._ops[n]) if self._ops else f"op {n}"

    def device(self, number: int) -> str:
        return self._devices[number] if self._devices else f"device {number}"

    def region(self, regions: Sequence[PlannedRegion], number: int) -> str:
        return f"region {number} of {self.device(regions[number].device)}"
