"""Ask the bridges of every device which ops they can run, and why they decline the others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph, Node
from lite.ir.program import VarKind
from lite.ir.types import HOST, DType
from lite.ops.schema import LOD_BY_KERNEL, LOD_BY_RULE, SCHEMAS
from lite.plugin.boundary import at_boundary
from lite.plugin.device import BridgeOp, Device
from lite.plugin.device.bridge_search import load_bridges_of
from lite.plugin.device.bridging import search_composites, why_not
from lite.plugin.device.opening import DeviceFacts, facts_of
from lite.plugin.pattern import Match
from lite.plugin.pattern.composite import CompositeFault
from lite.subgraph.assumptions import Assumptions
from lite.subgraph.measured_costs import MeasuredCosts, OpKey, place_of
from lite.subgraph.partition_rules import HOST_RULE, PartitionRules


@dataclass
class Mark:
    """The devices that can run an op, in the user's order, and the reasons of the others.

    `cost` is the time of the op in seconds by place, where it is known.
    """

    supported_by: list[str] = field(default_factory=list)
    why_not: dict[str, str] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)


@dataclass
class Marks:
    """The mark of every op of a graph, and the composites of each device.

    `faults` are the composites whose own code failed, with their device.
    """

    ops: dict[Node, Mark]
    composites: dict[str, list[Match]]
    faults: list[tuple[str, CompositeFault]] = field(default_factory=list)

    def seconds(self, nodes: Sequence[Node], place: str) -> float | None:
        """The time of several ops on a place; None unless it is known for each of them."""
        costs = [self.ops[node].cost.get(place) for node in nodes]
        return None if None in costs else sum(cost for cost in costs if cost is not None)


def mark(
    graph: Graph,
    devices: Sequence[Device[Any]],
    rules: PartitionRules | None = None,
    without: Collection[str] = (),
    costs: MeasuredCosts | None = None,
    facts_of_device: Callable[[Device[Any]], DeviceFacts] = facts_of,
    assumed: Assumptions | None = None,
) -> Marks:
    """Ask every device about every op of a graph, but not about the ops of nested graphs.

    All ops of a composite that a device takes are marked as supported.  The user's `rules` can restrict
    an op to the host or to one device, and ops named in `without` stay on the host.  With `costs`, the
    marks have the measured times, or else the times that the devices estimate.  Ops that `assumed` allows
    count as supported although the bridges decline them.
    """
    marks = Marks({node: Mark() for node in graph}, {})
    place_by_rule = {node: _place_by_rule(node, rules) for node in graph}
    if not devices:
        return marks
    host_reasons = {node: _host_reason(node, without) for node in graph}
    op_types = sorted({node.op for node in graph})
    for device in devices:
        facts = facts_of_device(device)
        real_only = {} if device.takes_quantized else _quantized_reasons(graph, device.name)
        reasons = {
            node: facts.why_not
            or host_reasons[node]
            or real_only.get(node)
            or _rule_reason(place, device.name)
            for node, place in place_by_rule.items()
        }
        matches: list[Match] = []
        if facts.why_not is None:
            load_bridges_of(device, op_types)
            search = search_composites(graph, device, facts.composites)
            matches = search.matches
            for fault in search.faults:
                marks.faults.append((device.name, fault))
                reasons.update((node, reasons[node] or str(fault.error)) for node in fault.nodes)
        matches = [match for match in matches if not any(reasons[node] for node in match.nodes)]
        marks.composites[device.name] = matches
        in_composites = {node for match in matches for node in match.nodes}
        for node, entry in marks.ops.items():
            reason = reasons[node]
            if reason is None and node not in in_composites:
                reason = why_not(node, device)
                if reason is not None and assumed is not None and assumed.allow(device.name, node, reason):
                    reason = None
            if reason is not None:
                entry.why_not[device.name] = reason
                continue
            entry.supported_by.append(device.name)
            if costs is not None:
                _enter_estimate(entry, node, device)
    if costs is not None:
        _enter_measured(marks, devices, costs)
    return marks


def _enter_measured(marks: Marks, devices: Sequence[Device[Any]], costs: MeasuredCosts) -> None:
    places: dict[str, str] = {}
    for device in devices:
        with contextlib.suppress(CompileError):
            places[device.name] = place_of(device, device.settings.threads)
    threads = max((device.settings.threads for device in devices), default=1)
    for node, entry in marks.ops.items():
        key = OpKey.of(node)
        measured = {name: costs.seconds(key, places[name]) for name in entry.supported_by if name in places}
        measured[HOST] = costs.seconds(key, place_of(None, threads))
        entry.cost.update({name: seconds for name, seconds in measured.items() if seconds is not None})


def _enter_estimate(entry: Mark, node: Node, device: Device[Any]) -> None:
    try:
        cost = at_boundary(device.name, "asking for a cost", lambda: device.cost(BridgeOp(node)))
    except CompileError:
        return
    if cost is not None:
        entry.cost[device.name] = cost


def _host_reason(node: Node, without: Collection[str]) -> str | None:
    """Why an op stays on the host whatever the device; None where a device may take it."""
    if node.label in without:
        return "the region with it could not be compiled"
    schema = SCHEMAS.get(node.op)
    if node.blocks or schema is None or schema.control_flow:
        return "the executor runs control flow; the ops inside are placed on their own"
    if node.effect or schema.effect:
        return "it has an effect, and only the host keeps the order of effects"
    lod_level = max((value.lod_level for value in node.all_inputs()), default=0)
    if schema.lod == LOD_BY_KERNEL or (schema.lod == LOD_BY_RULE and lod_level):
        return "it reads or sets LoDs, which devices do not support"
    for value in (*node.all_inputs(), *node.all_outputs()):
        if value.kind is VarKind.TENSOR_ARRAY:
            return f"{value!r} is a tensor array"
        if value.dtype is None:
            return f"the element type of {value!r} is not known"
        if value.dtype is DType.STRING:
            return f"{value!r} holds strings"
    return None


def _quantized_reasons(graph: Graph, device: str) -> dict[Node, str]:
    """Why ops with quantised values are not for a device that takes none."""
    reasons = {}
    for node in graph:
        for value in (*node.all_inputs(), *node.all_outputs()):
            if value.quant is not None:
                reasons[node] = f"{value!r} is quantised, and {device} takes real numbers only"
    return reasons


def _place_by_rule(node: Node, rules: PartitionRules | None) -> str | None:
    """The place that the user's rules demand for an op: the host or a device; None for any."""
    return None if rules is None else rules.decide(node.op, _names(node.inputs), _names(node.outputs))


def _rule_reason(place: str | None, device: str) -> str | None:
    if place in (None, device):
        return None
    return f"a partition rule puts it on {'the host' if place == HOST_RULE else place}"


def _names(slots: Mapping[str, Sequence[Any]]) -> list[str]:
    return [value.name for values in slots.values() for value in values]
