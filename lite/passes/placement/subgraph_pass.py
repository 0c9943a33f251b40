"""Give the parts of a graph that devices can run to them."""

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
from lite.subgraph.mark import Marks, mark
from lite.subgraph.measured_costs import MeasuredCosts
from lite.subgraph.partition import Partition, Request, node_macs, partition, total_bytes, value_bytes
from lite.subgraph.report import OpReport, PlacementReport, RegionReport, TensorReport
from lite.subgraph.rewrite import boundary, rewrite


@register_pass
@dataclass(frozen=True)
class SubgraphPass(Pass):
    """Puts each region that a device can run behind one op, its ops unchanged in a nested graph::

        %b = relu(X=%a)        ->  %c = subgraph(Inputs=%a) {device="npu", region=0}
        %c = sigmoid(X=%b)           graph npu_0(%a) { … return %c }

    `device` or `devices` name those of the Config that this pass is about (by default all, planned
    together) or others, with options.  `placement`: "priority" gives each op to the first device that
    takes it, "fewest_regions" and "cost" assign freely.  `detector`: "levels" makes the fewest regions,
    "reverse_dfs" joins neighbours as Paddle-Lite does, device after device.  With `connected`, regions
    hang together.  Regions with fewer than `min_subgraph_ops` ops are given back to the host.
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
        """Mark, partition, prune, rewrite one graph, and report; ops in regions already stay there."""
        devices = self._devices(ctx)
        options = ctx.subgraph
        placement = self.placement or options.placement
        costs = (options.costs or MeasuredCosts()) if placement == "cost" else None
        marks = mark(graph, devices, options.rules, options.without, costs, options.roster.facts)
        for name, fault in marks.faults:
            composite, error = fault.composite.name, str(fault.error).removeprefix(f"{name}: ")
            sentence = f"device {name} cannot run composite {composite}, whose ops stay on the host: {error}"
            options.roster.complain((name, composite), sentence)
        least = options.min_subgraph_ops if self.min_subgraph_ops is None else self.min_subgraph_ops
        request = Request(self.detector, placement, self.connected, least)
        found = partition(graph, marks, devices, request)
        first = len(ctx.results.placed.regions)
        _report(graph, ctx.results.placed, devices, marks, found)
        made = rewrite(graph, [(device, first + n, nodes) for n, (device, nodes) in enumerate(found.regions)])
        return Outcome.of(bool(made))

    def _devices(self, ctx: PassContext) -> list[Device[Any]]:
        wanted = self.devices if self.device is None else (self.device,)
        if not wanted:
            return list(ctx.devices)
        known = {device.name: device for device in ctx.devices}
        found: list[Device[Any]] = []
        for item in wanted:
            name = _name(item)
            if isinstance(item, Spec) or name not in known:
                known[name] = ctx.subgraph.roster.open(item)
                if known[name] not in ctx.results.devices:
                    ctx.results.devices.append(known[name])
            found.append(known[name])
        return found


def _name(item: str | Spec) -> str:
    return item.name if isinstance(item, Spec) else item


def _report(
    graph: Graph, placed: PlacementReport, devices: Sequence[Device[Any]], marks: Marks, found: Partition
) -> None:
    """Enter every op and region of a graph, before the rewrite."""
    placed.devices = list(dict.fromkeys([*placed.devices, *(device.name for device in devices)]))
    place = {node: device for device, nodes in found.regions for node in nodes}
    given_up = {(node, device): reason for device, nodes, reason in found.pruned for node in nodes}
    for node in graph:
        if node.op == SUBGRAPH:
            continue
        where = place.get(node, HOST)
        reasons = dict(marks.ops[node].why_not)
        for name in marks.ops[node].supported_by:
            if name != where:
                reasons[name] = given_up.get((node, name), f"{where} was preferred")
        written = total_bytes(list(node.all_outputs()))
        placed.enter(OpReport(node.label, node.op, graph.name, where, reasons, node_macs(node), written))
    for device, nodes in found.regions:
        inputs, outputs = boundary(nodes)
        placed.regions.append(
            RegionReport(
                len(placed.regions),
                device,
                graph.name,
                [node.label for node in nodes],
                [value.label for value in inputs],
                [value.label for value in outputs],
                [
                    *(_tensor(value, "in") for value in inputs),
                    *(_tensor(value, "out") for value in outputs),
                ],
                total_bytes([*inputs, *outputs]),
            )
        )
    placed.pruned += [(device, len(nodes), reason) for device, nodes, reason in found.pruned]
    for detector, count in found.detectors.items():
        placed.detectors[detector] = placed.detectors.get(detector, 0) + count


def _tensor(value: Value, direction: str) -> TensorReport:
    shape = None if value.shape is None else list(value.shape)
    return TensorReport(value.label, direction, str(value.dtype), shape, value_bytes(value))
