"""From marks to regions: the ops of a graph as plain data for the planner, and its answer as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import is_known
from lite.ops.macs import macs
from lite.plugin.device import Device
from lite.plugin.pattern import Match
from lite.subgraph.mark import Marks
from lite.subgraph.plan_regions import RegionNode, plan_regions

DETECTORS = ("levels", "reverse_dfs")


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
        match = owner.get(node)
        if match is None:
            units.append(Unit(_unit_name(node), (node,), tuple(marks.ops[node].supported_by)))
        elif node is match.root:
            takers = [set(marks.ops[inner].supported_by) for inner in match.nodes]
            shared = set.intersection(*takers) | {device_of[id(match)]}
            supported = tuple(device for device in devices if device in shared)
            units.append(Unit(_unit_name(node), match.nodes, supported))
    return units


def region_nodes(graph: Graph, units: Sequence[Unit]) -> list[RegionNode]:
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
        found.append({"name": unit.name, "inputs": sorted(sources), "supported_by": list(unit.supported_by)})
    return found


def node_macs(node: Node) -> int | None:
    """The multiply-accumulate operations of an op."""
    return macs(
        node.op,
        {slot: [value.shape for value in values] for slot, values in node.inputs.items()},
        {slot: [value.shape for value in values] for slot, values in node.outputs.items()},
    )


def value_bytes(value: Value) -> int | None:
    """The bytes of a value; None where its shape is not known."""
    if value.dtype is None or value.shape is None or not is_known(value.shape):
        return None
    size = value.dtype.itemsize
    for dim in value.shape:
        size *= int(dim)
    return size


def total_bytes(values: Sequence[Value]) -> int | None:
    """The bytes of several values; None where one is not known."""
    sizes = [value_bytes(value) for value in values]
    return None if None in sizes else sum(size for size in sizes if size is not None)


@dataclass
class Partition:
    """Regions as devices with their ops in running order, in an order in which they can run.

    `pruned` are those given back to the host, with the reason; `detectors` the number of regions that
    each detector finds.
    """

    regions: list[tuple[str, list[Node]]]
    pruned: list[tuple[str, list[Node], str]]
    detectors: dict[str, int]


def partition(
    graph: Graph,
    marks: Marks,
    devices: Sequence[Device[Any]],
    detector: str,
    placement: str,
    connected: bool,
    least: int,
) -> Partition:
    """Divide a graph: plan regions, split those above a device's limits, drop those that do not pay.

    The detector "levels" plans for all devices at once, "reverse_dfs" for one after the other.
    """
    names = [device.name for device in devices]
    units = units_of(graph, marks, names)
    nodes = region_nodes(graph, units)
    plans = {
        "levels": plan_regions(nodes, names, placement, connected),
    }
    by_name = {unit.name: unit for unit in units}
    found = Partition([], [], {name: len(plan) for name, plan in plans.items()})
    for device, group in plans[detector]:
        inside = [by_name[name] for name in group]
        ops = [node for unit in inside for node in unit.nodes]
        if len(ops) >= least:
            found.regions.append((device, ops))
        else:
            found.pruned.append((device, ops, f"{len(ops)} ops, fewer than {least}"))
    return found


def _unit_name(node: Node) -> str:
    return f"{node.id:012}"
