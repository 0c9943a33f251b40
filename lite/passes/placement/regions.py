"""Divides a graph among devices, replaces the regions by ops, and reports them, for `SubgraphPass`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Literal

from lite.errors import ConfigError
from lite.ir.graph import SUBGRAPH, Graph, Value
from lite.ir.types import HOST, Layout
from lite.ops.node_work import total_bytes, value_bytes
from lite.passes.base import PassContext
from lite.passes.placement.entries import enter_op
from lite.plugin.device import Device
from lite.subgraph.edge_integers import store_edges
from lite.subgraph.edge_layouts import channels_last_edges
from lite.subgraph.mark import Marks, mark
from lite.subgraph.measured_costs import MeasuredCosts
from lite.subgraph.partition import DeviceRegion, Partition, PrunedRegion, Request, partition
from lite.subgraph.pinned import pinned_partition
from lite.subgraph.report import PlacementReport, RegionReport, TensorReport
from lite.subgraph.rewrite import boundary, rewrite

log = logging.getLogger(__name__)


def move_to_regions(
    graph: Graph,
    ctx: PassContext,
    devices: Sequence[Device[Any]],
    *,
    detector: Literal["levels", "reverse_dfs"],
    placement: str,
    connected: bool,
    least: int,
) -> bool:
    """Mark, partition, prune, rewrite and report; returns whether there is a region.

    Regions with fewer than `least` ops that compute are given back to the host.
    """
    options = ctx.subgraph
    costs = (options.costs or MeasuredCosts()) if placement == "cost" else None
    quantized = [] if options.recipe is None else options.recipe.apply(graph)
    facts, assumed = options.roster.facts, options.assumed
    marks = mark(graph, devices, options.rules, options.without, costs, facts, assumed)
    for name, fault in marks.faults:
        composite, error = fault.composite.name, str(fault.error).removeprefix(f"{name}: ")
        sentence = f"device {name} cannot run composite {composite}, whose ops stay on the host: {error}"
        options.roster.complain((name, composite), sentence)
    tuned = _tuned(graph, ctx, devices, marks) if placement == "cost" and options.pinned is None else None
    if tuned is not None:
        result = tuned
    elif options.pinned is None:
        result = partition(graph, marks, devices, Request(detector, placement, connected, least))
    else:
        result = pinned_partition(graph, marks, devices, options.pinned, options.roster)
    first = len(ctx.results.placed.regions)
    _report(graph, ctx.results.placed, devices, marks, result)
    nodes = rewrite(graph, [(each.device, first + n, each.nodes) for n, each in enumerate(result.regions)])
    store = {device.name for device in devices if device.stored_edges}
    store_edges(graph, [node for node in nodes if node.attrs["device"] in store])
    last = {device.name for device in devices if device.edge_layout is Layout.NHWC}
    channels_last_edges(graph, [node for node in nodes if node.attrs["device"] in last])
    # The copies in the graphs of regions stay quantised; the host computes with real numbers.
    for value in quantized:
        value.quant = None
    return bool(result.regions)


def _tuned(graph: Graph, ctx: PassContext, devices: Sequence[Device[Any]], marks: Marks) -> Partition | None:
    """The regions that `litebridge tune` found to be the fastest; None if it did not measure the graph."""
    options = ctx.subgraph
    found = None if options.tuned is None else options.tuned.find(graph, devices)
    if found is None:
        return None
    try:
        result = pinned_partition(graph, marks, devices, found.plan, options.roster)
    except ConfigError as error:
        log.warning(
            "the tuned placement of %s does not fit any more, run `litebridge tune` again: %s",
            graph.name,
            error,
        )
        return None
    ctx.results.placed.measured += found.measured
    placed = {node for region in result.regions for node in region.nodes}
    for device in devices:
        rest = [node for node in graph if node not in placed and device.name in marks.ops[node].supported_by]
        if rest:
            result.pruned.append(PrunedRegion(device.name, tuple(rest), found.why_on_host(device.name)))
    return result


def _report(
    graph: Graph, placed: PlacementReport, devices: Sequence[Device[Any]], marks: Marks, result: Partition
) -> None:
    """Add every op and region of a graph to the report; must run before the rewrite."""
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
        enter_op(node, graph.name, placed, where, reasons)
    for region in result.regions:
        placed.regions.append(_region_report(region, len(placed.regions), graph.name))
    placed.pruned += [(region.device, len(region.nodes), region.reason) for region in result.pruned]
    placed.split += result.split
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
