"""Ask the bridges of every device which ops they take, and why they decline the others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lite.errors import CompileError
from lite.ir.graph import Graph, Node
from lite.ir.program import VarKind
from lite.ir.types import HOST, DType
from lite.ops.schema import LOD_BY_KERNEL, LOD_BY_RULE, SCHEMAS
from lite.plugin.boundary import at_boundary
from lite.plugin.device import BridgeOp, Device
from lite.plugin.device.convert import search_composites, why_not
from lite.plugin.device.facts import DeviceFacts, facts_of
from lite.plugin.loader import load_bridges
from lite.plugin.pattern import Match
from lite.plugin.pattern.composite import CompositeFault
from lite.subgraph.measured_costs import MeasuredCosts, OpKey, place_of
from lite.subgraph.partition_rules import HOST_RULE, PartitionRules


@dataclass
class Mark:
    """Which devices take an op, in the user's order, and what the others say.

    `cost` is what the op takes on a place, in seconds, where that is known.
    """

    supported_by: list[str] = field(default_factory=list)
    why_not: dict[str, str] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)


@dataclass
class Marks:
    """The answers for every op of a graph, and the composites of each device in it.

    `faults` are composites whose own code failed, with their device.
    """

    ops: dict[Node, Mark]
    composites: dict[str, list[Match]]
    faults: list[tuple[str, CompositeFault]] = field(default_factory=list)


def mark(
    graph: Graph,
    devices: Sequence[Device[Any]],
    rules: PartitionRules | None = None,
    without: Collection[str] = (),
    costs: MeasuredCosts | None = None,
    ask: Callable[[Device[Any]], DeviceFacts] = facts_of,
) -> Marks:
    """Ask every device about every op of a graph; nested graphs are others'.

    An op inside a composite is taken with it.  The user's `rules` come first: they keep ops on the host,
    or off all devices but one.  So do the ops named in `without`.  With `costs`, devices are asked for
    theirs, too; those that were measured go before.  `ask` tells whether a device is there.
    """
    marks = Marks({node: Mark() for node in graph}, {})
    wanted = {node: _wanted_place(node, rules) for node in graph}
    if not devices:
        return marks
    reasons = {node: _host_reason(node, without) for node in graph}
    ops = sorted({node.op for node in graph})
    for device in devices:
        facts = ask(device)
        missing = facts.why_not
        kept = {node: missing or reasons[node] or _ruled_out(wanted[node], device.name) for node in wanted}
        matches: list[Match] = []
        if missing is None:
            load_bridges(device.name, ops)
            found = search_composites(graph, device, facts.composites)
            matches = found.matches
            for fault in found.faults:
                marks.faults.append((device.name, fault))
                kept.update((node, kept[node] or str(fault.error)) for node in fault.nodes)
        matches = [match for match in matches if not any(kept[node] for node in match.nodes)]
        marks.composites[device.name] = matches
        inside = {node for match in matches for node in match.nodes}
        for node, entry in marks.ops.items():
            reason = kept[node] or (None if node in inside else why_not(node, device))
            if reason is None:
                entry.supported_by.append(device.name)
                if costs is not None:
                    _enter_cost(entry, node, device)
            else:
                entry.why_not[device.name] = reason
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
        known = {name: costs.seconds(key, places[name]) for name in entry.supported_by if name in places}
        known[HOST] = costs.seconds(key, place_of(None, threads))
        entry.cost.update({name: seconds for name, seconds in known.items() if seconds is not None})


def _enter_cost(entry: Mark, node: Node, device: Device[Any]) -> None:
    try:
        cost = at_boundary(device.name, "asking for a cost", lambda: device.cost(BridgeOp(node)))
    except CompileError:
        return
    if cost is not None:
        entry.cost[device.name] = cost


def _host_reason(node: Node, without: Collection[str]) -> str | None:
    """Why an op stays on the host whatever the device."""
    if node.label in without:
        return "the region with it could not be compiled"
    schema = SCHEMAS.get(node.op)
    if node.blocks or schema is None or schema.control_flow:
        return "the executor runs control flow; the ops inside are placed on their own"
    if node.effect or schema.effect:
        return "it has an effect, whose order among others only the host keeps"
    lod_level = max((value.lod_level for value in node.all_inputs()), default=0)
    if schema.lod == LOD_BY_KERNEL or (schema.lod == LOD_BY_RULE and lod_level):
        return "it reads or sets LoDs, which devices do not know"
    for value in (*node.all_inputs(), *node.all_outputs()):
        if value.kind is VarKind.TENSOR_ARRAY:
            return f"{value!r} is a tensor array"
        if value.dtype is None:
            return f"the element type of {value!r} is not known"
        if value.dtype is DType.STRING:
            return f"{value!r} holds strings"
        if value.quant is not None:
            return f"{value!r} is quantised"
    return None


def _wanted_place(node: Node, rules: PartitionRules | None) -> str | None:
    """Where the user wants an op: the host, a device, or None for anywhere."""
    return None if rules is None else rules.decide(node.op, _names(node.inputs), _names(node.outputs))


def _ruled_out(place: str | None, device: str) -> str | None:
    if place in (None, device):
        return None
    return f"a partition rule puts it on {'the host' if place == HOST_RULE else place}"


def _names(slots: Mapping[str, Sequence[Any]]) -> list[str]:
    return [value.name for values in slots.values() for value in values]
