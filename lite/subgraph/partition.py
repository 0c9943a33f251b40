"""From marks to regions: the ops of a graph as plain data for the planner, and its answer as nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST
from lite.ops.macs import macs
from lite.ops.view import product
from lite.plugin.device import Device, Limits
from lite.plugin.pattern import Match
from lite.subgraph.limits import SplitNode, split_for_limits
from lite.subgraph.mark import Marks
from lite.subgraph.plan_regions import Region, RegionNode, plan_regions
from lite.subgraph.prune import RegionWork, prune
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.rewrite import boundary

MAX_ROUNDS = 4
"""How often a plan is made anew without what devices gave back."""


@dataclass(frozen=True)
class Unit:
    """What the planner moves as one: an op, or the ops of a composite."""

    name: str
    nodes: tuple[Node, ...]
    supported_by: tuple[str, ...]


def units_of(graph: Graph, marks: Marks, devices: Sequence[str]) -> list[Unit]:
    """The ops of a graph in running order, each composite as one unit of its device.

    Composites of the first device that takes them come first; one that overlaps is left out.
    """
    owner: dict[Node, Match] = {}
    device_of: dict[int, str] = {}
    for device in devices:
        for match in marks.composites.get(device, ()):
            if not any(node in owner for node in match.nodes):
                owner.update(dict.fromkeys(match.nodes, match))
                device_of[id(match)] = device
    units: list[Unit] = []
    for node in graph:
        found = owner.get(node)
        if found is None:
            units.append(Unit(_unit_name(node), (node,), tuple(marks.ops[node].supported_by)))
        elif node is found.root:
            takers = [set(marks.ops[inner].supported_by) for inner in found.nodes]
            shared = set.intersection(*takers) | {device_of[id(found)]}
            supported = tuple(device for device in devices if device in shared)
            units.append(Unit(_unit_name(node), found.nodes, supported))
    return units


def region_nodes(graph: Graph, units: Sequence[Unit], marks: Marks) -> list[RegionNode]:
    """The units as the planner takes them; ops with effects depend on those before them."""
    name = {node: unit.name for unit in units for node in unit.nodes}
    before: dict[Node, Node] = {after: first for first, after in graph.effect_edges()}
    found: list[RegionNode] = []
    for unit in units:
        sources = {
            name[value.producer]
            for node in unit.nodes
            for value in node.all_inputs()
            if value.producer is not None
        }
        sources |= {name[before[node]] for node in unit.nodes if node in before}
        sources.discard(unit.name)
        written = [value for node in unit.nodes for value in node.all_outputs()]
        found.append(
            {
                "name": unit.name,
                "inputs": sorted(sources),
                "supported_by": list(unit.supported_by),
                "cost": _costs(unit, marks),
                "bytes": sum(value_bytes(value) or 0 for value in written),
            }
        )
    return found


def _costs(unit: Unit, marks: Marks) -> dict[str, float]:
    """Seconds of a unit on each place that gives them for all its ops."""
    places = {place for node in unit.nodes for place in marks.ops[node].cost}
    known = {place: _seconds(unit.nodes, marks, place) for place in sorted(places)}
    return {place: seconds for place, seconds in known.items() if seconds is not None}


def node_macs(node: Node) -> int | None:
    """The multiply-accumulate operations of an op."""
    return macs(
        node.op,
        {slot: [value.shape for value in values] for slot, values in node.inputs.items()},
        {slot: [value.shape for value in values] for slot, values in node.outputs.items()},
    )


def value_bytes(value: Value) -> int | None:
    """The bytes of a value; None where its shape is not known."""
    count = None if value.shape is None else product(value.shape)
    return None if value.dtype is None or count is None else count * value.dtype.itemsize


def total_bytes(values: Sequence[Value]) -> int | None:
    """The bytes of several values; None where one is not known."""
    sizes = [value_bytes(value) for value in values]
    return None if None in sizes else sum(size for size in sizes if size is not None)


@dataclass(frozen=True)
class Request:
    """How a graph is to be divided; see `subgraph_pass`."""

    detector: str = "levels"
    placement: str = "priority"
    connected: bool = False
    min_subgraph_ops: int = 2


@dataclass
class Partition:
    """Regions as devices with their ops in running order, in an order in which they can run.

    `pruned` are those given back to the host, with the reason; `detectors` the number of regions that
    each detector finds.
    """

    regions: list[tuple[str, list[Node]]]
    pruned: list[tuple[str, list[Node], str]]
    detectors: dict[str, int]


def partition(graph: Graph, marks: Marks, devices: Sequence[Device[Any]], request: Request) -> Partition:
    """Divide a graph: plan regions, split those above a device's limits, give back those that do not pay.

    The detector "levels" plans for all devices at once, "reverse_dfs" for one after the other.  What one
    device gives back is offered to the others, so the plan is made anew, at most `MAX_ROUNDS` times.
    """
    if not devices:
        return Partition([], [], {})
    names = [device.name for device in devices]
    units = units_of(graph, marks, names)
    limits = {device.name: device.limits for device in devices}
    detect: dict[str, Callable[[Sequence[RegionNode]], list[Region]]] = {
        "levels": lambda nodes: plan_regions(nodes, names, request.placement, request.connected),
        "reverse_dfs": lambda nodes: reverse_dfs_regions(nodes, names),
    }
    detectors: dict[str, int] = {}
    pruned: list[tuple[str, list[Node], str]] = []
    for _ in range(MAX_ROUNDS):
        nodes = region_nodes(graph, units, marks)
        plan = detect[request.detector](nodes)
        # The other detector is for the report, which tells of the first plan.
        detectors = detectors or {
            name: len(plan if name == request.detector else find(nodes)) for name, find in detect.items()
        }
        kept, given_back = _pruned(plan, units, limits, marks, request.min_subgraph_ops)
        pruned += given_back
        if not given_back or len(names) == 1:
            break
        gone = {(device, node) for device, group, _ in given_back for node in group}
        units = [
            replace(unit, supported_by=tuple(d for d in unit.supported_by if (d, unit.nodes[0]) not in gone))
            for unit in units
        ]
    return Partition(kept, pruned, detectors)


def _pruned(
    plan: Sequence[tuple[str, Sequence[str]]],
    units: Sequence[Unit],
    limits: Mapping[str, Limits],
    marks: Marks,
    least: int,
) -> tuple[list[tuple[str, list[Node]]], list[tuple[str, list[Node], str]]]:
    """The regions of a plan that keep the limits and pay, and those that do not with the reason."""
    by_name = {unit.name: unit for unit in units}
    kept: list[tuple[str, list[Node]]] = []
    pruned: list[tuple[str, list[Node], str]] = []
    for device, group in plan:
        split = split_for_limits(split_nodes([by_name[name] for name in group]), limits[device])
        pruned += [(device, list(by_name[name].nodes), reason) for name, reason in split.refused.items()]
        for part in split.parts:
            ops = [node for name in part for node in by_name[name].nodes]
            reasons = [reason for _, reason in prune([_work(device, ops, marks)], least)]
            if not boundary(ops)[1]:
                reasons = ["nothing reads what it computes"]
            if reasons:
                pruned.append((device, ops, reasons[0]))
            else:
                kept.append((device, ops))
    return kept, pruned


def split_nodes(units: Sequence[Unit]) -> list[SplitNode]:
    """The ops of a region as the splitter takes them."""
    inside = {node for unit in units for node in unit.nodes}
    found: list[SplitNode] = []
    for unit in units:
        own = set(unit.nodes)
        read = {value for node in unit.nodes for value in node.all_inputs() if value.producer not in own}
        written = [value for node in unit.nodes for value in node.all_outputs() if value.is_used]
        outputs = [value for value in written if value.is_result or not own.issuperset(value.users)]
        found.append(
            {
                "name": unit.name,
                "inputs": sorted(f"{value.id:012}" for value in read if value.data is None),
                "outputs": {f"{value.id:012}": value_bytes(value) or 0 for value in outputs},
                "read_outside": {
                    f"{value.id:012}"
                    for value in outputs
                    if value.is_result or not inside.issuperset(value.users)
                },
                "weights": {f"{value.id:012}": value.data.nbytes for value in read if value.data is not None},
            }
        )
    return found


def _work(device: str, nodes: Sequence[Node], marks: Marks) -> RegionWork:
    counts = [node_macs(node) for node in nodes]
    return RegionWork(
        device,
        [node.op for node in nodes],
        None if None in counts else sum(count for count in counts if count is not None),
        total_bytes([value for values in boundary(nodes) for value in values]),
        _seconds(nodes, marks, HOST),
        _seconds(nodes, marks, device),
    )


def _seconds(nodes: Sequence[Node], marks: Marks, place: str) -> float | None:
    """What ops take on a place, where that is known of each."""
    costs = [marks.ops[node].cost.get(place) for node in nodes]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _unit_name(node: Node) -> str:
    return f"{node.id:012}"
