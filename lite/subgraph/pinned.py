"""Regions as a saved plan has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.errors import ConfigError
from lite.ir.graph import Graph, Node
from lite.plugin.device import Device
from lite.plugin.device.roster import DeviceRoster
from lite.subgraph.mark import Marks
from lite.subgraph.op_graph import OpGraph, PlannedOp, PlannedRegion
from lite.subgraph.partition import DeviceRegion, Partition, PrunedRegion
from lite.subgraph.saved_plan import SavedPlan, SavedRegion
from lite.subgraph.verify_plan import check_plan


def pinned_partition(
    graph: Graph, marks: Marks, devices: Sequence[Device[Any]], plan: SavedPlan, roster: DeviceRoster
) -> Partition:
    """The regions that a saved plan has for a graph.

    The ops of a device that is missing here stay on the host.  Raises `ConfigError` where the plan does not
    fit: for ops that the graph lacks or that a device does not take, and for regions that need each other.
    """
    nodes = {node.label: node for node in graph}
    regions: list[DeviceRegion] = []
    pruned: list[PrunedRegion] = []
    for number, region in enumerate(plan.regions):
        if region.block != graph.name:
            continue
        found = _nodes(region, number, nodes)
        device = next((each for each in devices if each.name == region.device), None)
        missing = "it is no device of the Config" if device is None else roster.facts(device).why_not
        if missing is not None:
            pruned.append(PrunedRegion(region.device, tuple(found), missing))
            continue
        for node in found:
            reason = marks.ops[node].why_not.get(region.device)
            if reason is not None:
                raise ConfigError(
                    f"the plan puts op {node.label!r} ({node.op}) on {region.device}, which declines it: "
                    f"{reason}; save the plan again"
                )
        regions.append(DeviceRegion(region.device, tuple(found)))
    _check(graph, marks, devices, regions)
    return Partition(regions, pruned, {"plan": len(regions)})


def _nodes(region: SavedRegion, number: int, nodes: dict[str, Node]) -> list[Node]:
    missing = [name for name in region.ops if name not in nodes]
    if missing:
        raise ConfigError(
            f"the plan has op {missing[0]!r} in region {number} of {region.device}, and the model has no "
            f"such op in block {region.block!r}: it is another model, or other passes optimised it; save "
            "the plan again"
        )
    return [nodes[name] for name in region.ops]


def _check(
    graph: Graph, marks: Marks, devices: Sequence[Device[Any]], regions: Sequence[DeviceRegion]
) -> None:
    numbers = {node: n for n, node in enumerate(graph)}
    names = [device.name for device in devices]
    before = {after: first for first, after in graph.effect_edges()}
    ops = []
    for node, n in numbers.items():
        sources = {numbers[value.producer] for value in node.all_inputs() if value.producer is not None}
        sources.update(numbers[before[node]] for _ in [0] if node in before)
        supported = sorted(names.index(name) for name in marks.ops[node].supported_by)
        ops.append(PlannedOp(tuple(sorted(sources - {n})), tuple(supported)))
    planned = [
        PlannedRegion(names.index(region.device), tuple(numbers[node] for node in region.nodes))
        for region in regions
    ]
    problems = check_plan(
        OpGraph(ops), planned, complete=False, op_names=[node.label for node in graph], device_names=names
    )
    if problems:
        raise ConfigError(f"the plan cannot run: {problems[0]}; save the plan again")
