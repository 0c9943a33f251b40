"""Moves the parts of a graph that devices can run into regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from lite.errors import ConfigError
from lite.ir.graph import SUBGRAPH, Graph, Value
from lite.ir.types import HOST
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass
from lite.plugin.device import Device
from lite.plugin.device.roster import named_twice
from lite.spec.grammar import Spec
from lite.subgraph.edges import store_edges
from lite.subgraph.mark import Marks, mark
from lite.subgraph.measured_costs import MeasuredCosts
from lite.subgraph.partition import DeviceRegion, Partition, Request, partition
from lite.subgraph.pinned import pinned_partition
from lite.subgraph.region_work import node_macs, total_bytes, value_bytes
from lite.subgraph.report import OpReport, PlacementReport, RegionReport, TensorReport
from lite.subgraph.rewrite import boundary, rewrite


@register_pass
@dataclass(frozen=True)
class SubgraphPass(Pass):
    """Replaces each region that a device can run by one op, with the unchanged ops in a nested graph::

        %b = relu(X=%a)        ->  %c = subgraph(Inputs=%a) {device="npu", region=0}
        %c = sigmoid(X=%b)           graph npu_0(%a) { … return %c }

    `device` or `devices` restrict the pass to some devices of the Config (by default it plans for all of
    them together), or name others, with options.  `placement`: "priority" gives each op to the first
    device that can run it, "fewest_regions" and "cost" assign freely.  `detector`: "levels" makes the
    fewest regions, "reverse_dfs" joins neighbours as Paddle-Lite does, for one device after the other.
    With `connected`, regions are weakly connected.  Regions with fewer than `min_subgraph_ops` ops that
    compute are given back to the host.  With a plan in the Config, its regions
    are made instead.  A recipe in the Config quantises the values of regions.
    """

    name: ClassVar[str] = "subgraph_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    device: str | Spec | None = None
    devices: tuple[str | Spec, ...] = ()
    placement: Literal["", "priority", "fewest_regions", "cost"] = ""
    detector: Literal["levels", "reverse_dfs"] = "levels"
    connected: bool = False
    min_subgraph_ops: int | None = None

    def __post_init__(self) -> None:
        if self.device is not None and self.devices:
            raise ConfigError(f"pass {self.name}: give device or devices, not both")
        twice = named_twice([_name(item) for item in self.devices])
        if twice is not None:
            raise ConfigError(f"pass {self.name}: devices: {twice!r} is named twice")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Mark, partition, prune, rewrite and report; ops that are in regions already stay there."""
        devices = self._devices(ctx)
        options = ctx.subgraph
        placement = self.placement or options.placement
        if options.pinned is not None and any(r.block == graph.name for r in ctx.results.placed.regions):
            # An earlier pass of the list has made all regions of the plan.
            return Outcome.UNCHANGED
        costs = (options.costs or MeasuredCosts()) if placement == "cost" else None
        quantized = [] if options.recipe is None else options.recipe.apply(graph)
        facts, assumed = options.roster.facts, options.assumed
        marks = mark(graph, devices, options.rules, options.without, costs, facts, assumed)
        for name, fault in marks.faults:
            composite, error = fault.composite.name, str(fault.error).removeprefix(f"{name}: ")
            sentence = f"device {name} cannot run composite {composite}, whose ops stay on the host: {error}"
            options.roster.complain((name, composite), sentence)
        least = options.min_subgraph_ops if self.min_subgraph_ops is None else self.min_subgraph_ops
        if options.pinned is None:
            request = Request(self.detector, placement, self.connected, least)
            result = partition(graph, marks, devices, request)
        else:
            result = pinned_partition(graph, marks, devices, options.pinned, options.roster)
        first = len(ctx.results.placed.regions)
        _report(graph, ctx.results.placed, devices, marks, result)
        nodes = rewrite(
            graph, [(each.device, first + n, each.nodes) for n, each in enumerate(result.regions)]
        )
        store = {device.name for device in devices if device.stored_edges}
        store_edges(graph, [node for node in nodes if node.attrs["device"] in store])
        # The copies in the graphs of regions stay quantised; the host computes with real numbers.
        for value in quantized:
            value.quant = None
        return Outcome.of(bool(result.regions))

    def _devices(self, ctx: PassContext) -> list[Device[Any]]:
        items = self.devices if self.device is None else (self.device,)
        if not items:
            return list(ctx.devices)
        known = {device.name: device for device in ctx.devices}
        devices: list[Device[Any]] = []
        for item in items:
            name = _name(item)
            if isinstance(item, Spec) or name not in known:
                known[name] = ctx.subgraph.roster.open(item)
                if known[name] not in ctx.results.devices:
                    ctx.results.devices.append(known[name])
            devices.append(known[name])
        return devices


def _name(item: str | Spec) -> str:
    return item.name if isinstance(item, Spec) else item


def _report(
    graph: Graph, placed: PlacementReport, devices: Sequence[Device[Any]], marks: Marks, result: Partition
) -> None:
    """Enter every op and region of a graph, before the rewrite."""
    placed.devices = list(dict.fromkeys([*placed.devices, *(device.name for device in devices)]))
    place = {node: region.device for region in result.regions for node in region.nodes}
    given_back = {(node, region.device): region.reason for region in result.pruned for node in region.nodes}
    for node in graph:
        if node.op == SUBGRAPH:
            continue
        where = place.get(node, HOST)
        reasons = dict(marks.ops[node].why_not)
        for name in marks.ops[node].supported_by:
            if name != where:
                reasons[name] = given_back.get((node, name), f"{where} was preferred")
        written = total_bytes(list(node.all_outputs()))
        placed.enter(OpReport(node.label, node.op, graph.name, where, reasons, node_macs(node), written))
    for region in result.regions:
        placed.regions.append(_region_report(region, len(placed.regions), graph.name))
    placed.pruned += [(region.device, len(region.nodes), region.reason) for region in result.pruned]
    for detector, count in result.detectors.items():
        placed.detectors[detector] = placed.detectors.get(detector, 0) + count


def _region_report(region: DeviceRegion, number: int, block: str) -> RegionReport:
    inputs, outputs = boundary(region.nodes)
    return RegionReport(
        number,
        region.device,
        block,
        [node.label for node in region.nodes],
        [value.label for value in inputs],
        [value.label for value in outputs],
        [*(_tensor(value, "in") for value in inputs), *(_tensor(value, "out") for value in outputs)],
        total_bytes([*inputs, *outputs]),
    )


def _tensor(value: Value, direction: str) -> TensorReport:
    shape = None if value.shape is None else list(value.shape)
    return TensorReport(value.label, direction, str(value.dtype), shape, value_bytes(value))
