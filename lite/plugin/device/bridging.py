"""Convert a region: let the bridges of a device add its ops, one by one, in running order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from lite.errors import CompileError, GraphError
from lite.ir.graph import Graph, Node
from lite.plugin.boundary import at_boundary
from lite.plugin.device.bridge_op import BridgeOp, meta_of
from lite.plugin.device.bridge_search import find_bridge, load_bridges_of
from lite.plugin.device.bridges import Bridge
from lite.plugin.device.conversion import Builder, Conversion, DescribesOutputs, QuantizedBuilder
from lite.plugin.device.devices import Device
from lite.plugin.device.tensor_rules import ANY_TENSOR
from lite.plugin.pattern import Composite, Match
from lite.plugin.pattern.composite import CompositeSearch

T = TypeVar("T")


def convert(graph: Graph, device: Device[Any], builder: Builder[T]) -> None:
    """Build a device's graph for a region: its inputs, its ops by their bridges, its outputs, in order.

    Raises `CompileError`, naming the op, for an op that a bridge declines with these shapes or fails to
    convert.
    """
    quantized = builder if isinstance(builder, QuantizedBuilder) else None
    ctx: Conversion[Builder[T], T] = Conversion(builder, device, builder.constant, quantized)
    for arg in graph.args:
        ctx.set_tensor(arg, builder.input(arg.name, meta_of(arg)))
    matches = {match.root: match for match in matches_of(graph, device)}
    inside = {node for match in matches.values() for node in match.nodes} - matches.keys()
    load_bridges_of(device, sorted({node.op for node in graph}))
    for node in graph:
        if node not in inside:
            _convert_op(node, matches.get(node), device, ctx)
    for name, value in zip(graph.result_names, graph.results, strict=True):
        if isinstance(builder, DescribesOutputs):
            builder.describe_output(name, meta_of(value))
        builder.output(name, ctx.tensor(value))


def _convert_op(node: Node, match: Match | None, device: Device[Any], ctx: Conversion[Any, Any]) -> None:
    name = node.op if match is None else match.composite.name
    entry = find_bridge(device, name)
    if entry is None:
        raise CompileError(_no_bridge(device, name), node.label)
    op = _bridge_op(node, match)
    reason = _why_not_tensors(match.nodes if match else (node,), device) or _ask(entry, name, op, device)
    if reason is not None:
        raise CompileError(f"{name} {op.name!r}: {reason}", op.name)
    at_boundary(device.name, f"converting {name} {op.name!r}", lambda: entry.convert(op, ctx), op=op.name)


def why_not(node: Node, device: Device[Any]) -> str | None:
    """Why a device cannot run an op, with the shapes known so far; None when it can.

    The bridge of the op must be loaded.
    """
    entry = find_bridge(device, node.op)
    if entry is None:
        return _no_bridge(device, node.op)
    return _why_not_tensors((node,), device) or _ask(entry, node.op, _bridge_op(node), device)


def composite_why_not(match: Match, device: Device[Any]) -> str | None:
    """Why a device cannot run a composite; None when it can."""
    name = match.composite.name
    entry = find_bridge(device, name)
    if entry is None:
        return _no_bridge(device, name)
    return _why_not_tensors(match.nodes, device) or _ask(entry, name, _bridge_op(match.root, match), device)


def _why_not_tensors(nodes: Iterable[Node], device: Device[Any]) -> str | None:
    """Why a tensor of these ops does not fit the device's table; None when all do."""
    if device.tensors is ANY_TENSOR:
        return None
    return next((reason for node in nodes if (reason := device.tensors.why_not(BridgeOp(node)))), None)


def _no_bridge(device: Device[Any], name: str) -> str:
    return f"{device.name} has no bridge for {name}"


def _ask(entry: Bridge, name: str, op: BridgeOp, device: Device[Any]) -> str | None:
    asking = f"asking about {op.op} {op.name!r}"
    try:
        reason = at_boundary(device.name, asking, lambda: device.why_not_op(op, name))
        return reason or at_boundary(device.name, asking, lambda: entry.why_not(op, device))
    except (CompileError, GraphError) as error:
        return str(error)


def _bridge_op(node: Node, match: Match | None = None) -> BridgeOp:
    """An op, or the composite whose last op it is, as its bridge sees it."""
    if match is None:
        return BridgeOp(node)
    producers = {name: value.producer for name, value in match.captures.items()}
    captures = {name: BridgeOp(producer) for name, producer in producers.items() if producer is not None}
    return BridgeOp(node, captures, match.captures)


def matches_of(graph: Graph, device: Device[Any]) -> list[Match]:
    """The composites of a device in a graph that its bridges take.

    Raises `CompileError`, naming the op, where the device's own code fails.
    """
    search = search_composites(graph, device, composites_of(device))
    for fault in search.faults:
        raise fault.error
    return search.matches


def search_composites(graph: Graph, device: Device[Any], composites: Sequence[Composite]) -> CompositeSearch:
    """Search a graph for the composites that a device's bridges take."""
    if composites:
        load_bridges_of(device, [composite.name for composite in composites])
    return CompositeSearch(graph, [_with_bridge(composite, device) for composite in composites])


def composites_of(device: Device[Any]) -> tuple[Composite, ...]:
    """The composites that a device declares; raises `CompileError` where `Device.patterns` fails."""

    def declared() -> tuple[Composite, ...]:
        composites = tuple(device.patterns())
        for item in composites:
            if not isinstance(item, Composite):
                raise CompileError(f"patterns() gave {item!r}, expected a Composite")
        return composites

    return at_boundary(device.name, "naming its composites", declared)


def _with_bridge(composite: Composite, device: Device[Any]) -> Composite:
    """The composite with a check that asks its bridge, too, so that a later composite may match instead."""

    def check(match: Match) -> str | None:
        refusal = None if composite.check is None else composite.check(match)
        return composite_why_not(match, device) if refusal is None else refusal

    return replace(composite, check=check)
