"""From marks to regions: numbers the ops of a graph for the planners and maps their plans back to nodes.

The planners move units: an op, or all ops of a composite.  Units are numbered in the order of the graph,
which is a running order.  A composite has the position of its last op, after everything that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node
from lite.ops.node_work import value_bytes
from lite.plugin.device import Device
from lite.plugin.pattern import Match
from lite.subgraph.limits import split_for_limits
from lite.subgraph.mark import Marks
from lite.subgraph.op_graph import OpGraph, PlannedOp, PlannedRegion
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.prune import prune_reason
from lite.subgraph.region_work import region_work
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.rewrite import boundary
from lite.subgraph.split_op import SplitOp

MAX_ROUNDS = 4
"""How many plans are made at most, each without what devices gave back before."""

Unit = tuple[Node, ...]
"""Ops that go to one device together, in running order."""


@dataclass(frozen=True)
class Request:
    """How to divide a graph; the options of `subgraph_pass` explain each field."""

    detector: str = "levels"
    placement: str = "priority"
    connected: bool = False
    min_subgraph_ops: int = 2


@dataclass(frozen=True)
class DeviceRegion:
    """Ops that one device runs, in running order."""

    device: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class PrunedRegion:
    """Ops that go back to the host although `device` can run them, with the reason in one sentence."""

    device: str
    nodes: tuple[Node, ...]
    reason: str


@dataclass(frozen=True)
class Partition:
    """A divided graph: `regions` in an order in which they can run.

    `detectors` are the numbers of regions that each detector finds before any are pruned.  `split` has a
    sentence for each region that was divided because of its device's limits.
    """

    regions: list[DeviceRegion]
    pruned: list[PrunedRegion]
    detectors: dict[str, int]
    split: list[str] = field(default_factory=list)


def partition(graph: Graph, marks: Marks, devices: Sequence[Device[Any]], request: Request) -> Partition:
    """Divide a graph: plan regions, split those that exceed limits, give back those that do not pay.

    The detector "levels" plans for all devices at once, "reverse_dfs" for one device after the other.
    Another plan offers what one device gave back to the others, up to `MAX_ROUNDS` plans in all.
    """
    if not devices:
        return Partition([], [], {})
    detect: dict[str, Callable[[OpGraph], list[PlannedRegion]]] = {
        "levels": lambda ops: plan_regions(ops, request.placement, request.connected),
        "reverse_dfs": reverse_dfs_regions,
    }
    units, ops = _units(graph, marks, [device.name for device in devices])
    detectors: dict[str, int] = {}
    parts: list[_Part] = []
    split: list[str] = []
    pruned: list[PrunedRegion] = []
    for _ in range(MAX_ROUNDS):
        op_graph = OpGraph(ops)
        plan = detect[request.detector](op_graph)
        # The other detector runs for the report only, which compares them by the first plan.
        detectors = detectors or {
            name: len(plan if name == request.detector else find(op_graph)) for name, find in detect.items()
        }
        split = []
        parts = [
            part
            for region in plan
            for part in _parts(region, units, devices[region.device], marks, request.min_subgraph_ops, split)
        ]
        refused = [part for part in parts if part.reason is not None]
        pruned += [
            PrunedRegion(devices[part.device].name, _nodes(units, part.units), part.reason or "")
            for part in refused
        ]
        if not refused or len(devices) == 1:
            break
        given_back = {(part.device, n) for part in refused for n in part.units}
        ops = [
            replace(op, devices=tuple(device for device in op.devices if (device, n) not in given_back))
            for n, op in enumerate(ops)
        ]
    kept = [
        DeviceRegion(devices[part.device].name, _nodes(units, part.units))
        for part in parts
        if part.reason is None
    ]
    return Partition(kept, pruned, detectors, split)


@dataclass(frozen=True)
class _Part:
    """A part of a planned region: its units, and why they go back to the host, if they do."""

    device: int
    units: tuple[int, ...]
    reason: str | None


def _parts(
    region: PlannedRegion,
    units: Sequence[Unit],
    device: Device[Any],
    marks: Marks,
    least_ops: int,
    sentences: list[str],
) -> Iterator[_Part]:
    """The parts of a region that the limits of its device allow, refused units first.

    A sentence is added to `sentences` for a region of several parts.
    """
    split = split_for_limits(_split_ops([units[n] for n in region.ops]), device.limits)
    if split.reason:
        sentences.append(
            f"{device.name}: a region of {len(region.ops)} ops is split into {len(split.parts)}: it has "
            f"{split.reason}"
        )
    for position, above in split.refused.items():
        yield _Part(region.device, (region.ops[position],), above)
    for part in split.parts:
        numbers = tuple(region.ops[position] for position in part)
        nodes = _nodes(units, numbers)
        pruned = prune_reason(region_work(device.name, nodes, marks), least_ops)
        unread = not boundary(nodes)[1]
        yield _Part(region.device, numbers, "nothing reads what it computes" if unread else pruned)


def _nodes(units: Sequence[Unit], numbers: Sequence[int]) -> tuple[Node, ...]:
    return tuple(node for n in numbers for node in units[n])


def _units(graph: Graph, marks: Marks, devices: Sequence[str]) -> tuple[list[Unit], list[PlannedOp]]:
    """The units of a graph, and each one as the planners see it.

    Composites of the first device that takes them come first; a composite that overlaps one is ignored.
    """
    number = {device: n for n, device in enumerate(devices)}
    owner: dict[Node, tuple[int, Match]] = {}
    for n, device in enumerate(devices):
        for match in marks.composites.get(device, ()):
            if owner.keys().isdisjoint(match.nodes):
                owner.update(dict.fromkeys(match.nodes, (n, match)))
    units: list[Unit] = []
    able: list[tuple[int, ...]] = []
    for node in graph:
        supported = {number[device] for device in marks.ops[node].supported_by}
        if node not in owner:
            units.append((node,))
        elif node is owner[node][1].root:
            device_number, match = owner[node]
            supported.intersection_update(
                *({number[device] for device in marks.ops[inner].supported_by} for inner in match.nodes)
            )
            supported.add(device_number)
            units.append(match.nodes)
        else:
            continue
        able.append(tuple(sorted(supported)))
    return units, _planned_ops(graph, units, able, marks, devices)


def _planned_ops(
    graph: Graph,
    units: Sequence[Unit],
    able: Sequence[tuple[int, ...]],
    marks: Marks,
    devices: Sequence[str],
) -> list[PlannedOp]:
    """The units as ops; a unit with an effect depends on the one with an effect before it."""
    number = {node: n for n, unit in enumerate(units) for node in unit}
    effect_before = {after: before for before, after in graph.effect_edges()}
    ops: list[PlannedOp] = []
    for n, unit in enumerate(units):
        producers = {value.producer for node in unit for value in node.all_inputs()}
        producers.update(effect_before[node] for node in unit if node in effect_before)
        sources = {number[node] for node in producers if node is not None} - {n}
        seconds = {device: marks.seconds(unit, devices[device]) for device in able[n]}
        written = [value for node in unit for value in node.all_outputs()]
        ops.append(
            PlannedOp(
                tuple(sorted(sources)),
                able[n],
                {device: cost for device, cost in seconds.items() if cost is not None},
                sum(value_bytes(value) or 0 for value in written),
            )
        )
    return ops


def _split_ops(units: Sequence[Unit]) -> list[SplitOp]:
    """The units of a region as the splitter sees them; the ids of values are their numbers."""
    inside = {node for unit in units for node in unit}
    ops: list[SplitOp] = []
    for unit in units:
        own = set(unit)
        read = {value for node in unit for value in node.all_inputs() if value.producer not in own}
        written = [value for node in unit for value in node.all_outputs() if value.is_used]
        outputs = [value for value in written if value.is_result or not own.issuperset(value.users)]
        ops.append(
            SplitOp(
                tuple(sorted(value.id for value in read if value.data is None)),
                {value.id: value_bytes(value) or 0 for value in outputs},
                frozenset(
                    value.id for value in outputs if value.is_result or not inside.issuperset(value.users)
                ),
                {value.id: value.data.nbytes for value in read if value.data is not None},
                {value.id: value_bytes(value) or 0 for value in read if value.data is None},
            )
        )
    return ops
