"""Hand the ops of a region to a device's bridges, one by one, in running order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from lite.errors import CompileError, GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.ops.view import Meta
from lite.plugin.boundary import at_boundary
from lite.plugin.device.bridge_op import BridgeOp, meta_of
from lite.plugin.device.bridges import BRIDGES, Bridge
from lite.plugin.device.devices import Device
from lite.plugin.loader import load_bridges
from lite.plugin.pattern import Composite, Match
from lite.plugin.pattern.composite import CompositeSearch

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Builder(Protocol[T]):
    """A device's graph while it is made, whose tensors are of type T."""

    def input(self, name: str, meta: Meta) -> T:
        """An input of the region; unknown dimensions are text."""

    def constant(self, name: str, array: Array) -> T:
        """A tensor that never changes; `array` is read-only and may be kept."""

    def output(self, name: str, tensor: T) -> None:
        """Make a tensor the region's next output."""


B = TypeVar("B")


class Conversion(Generic[B, T]):
    """What bridges see of the conversion: the device's builder, and the tensors made so far."""

    def __init__(self, builder: B, device: Device[Any], constant: ConstantMaker[T]) -> None:
        self.builder = builder
        self.device = device
        self._constant = constant
        self._tensors: dict[Value, T] = {}

    def input(self, op: BridgeOp, slot: str) -> T:
        """The tensor of an input; a constant becomes one when first read.

        Raises `CompileError` where the op does not have exactly one value there.
        """
        found = self.inputs(op, slot)
        if len(found) != 1:
            raise CompileError(f"{op.op}: slot {slot} holds {len(found)} values, expected one", op.name)
        return found[0]

    def optional(self, op: BridgeOp, slot: str) -> T | None:
        """The tensor of an optional input, or None where the op lacks it."""
        return self.input(op, slot) if op.node.inputs.get(slot) else None

    def inputs(self, op: BridgeOp, slot: str) -> list[T]:
        """The tensors of a repeated slot."""
        return [self.tensor(value) for value in op.node.inputs.get(slot, ())]

    def output(self, op: BridgeOp, tensor: T, slot: str | None = None) -> None:
        """Say which tensor an output is, by default that of the first slot."""
        self._tensors[op.node.output(slot)] = tensor

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[T]) -> None:
        """Say which tensors the outputs of a repeated slot are."""
        self._tensors.update(zip(op.node.outputs[slot], tensors, strict=True))

    def tensor(self, value: Value) -> T:
        """The tensor of a value that a composite captured; raises `CompileError` for one not made yet."""
        if value not in self._tensors:
            if value.data is None:
                producer = "an input" if value.producer is None else f"op {value.producer.op}"
                raise CompileError(f"nothing was made of {value!r}, written by {producer}", value.label)
            self._tensors[value] = self._constant(value.label, value.data)
        return self._tensors[value]


class ConstantMaker(Protocol[T_co]):
    """The builder's method for constants."""

    def __call__(self, name: str, array: Array) -> T_co:
        """A tensor that never changes."""


def convert(graph: Graph, device: Device[Any], builder: Builder[T]) -> None:
    """Make a device's graph of a region: inputs, ops by their bridges, outputs, in the region's order.

    Raises `CompileError` naming the op for one that a bridge refuses with these shapes, or cannot
    convert.
    """
    ctx: Conversion[Builder[T], T] = Conversion(builder, device, builder.constant)
    for arg in graph.args:
        ctx._tensors[arg] = builder.input(arg.name, meta_of(arg))
    matches = {match.root: match for match in matches_of(graph, device)}
    inside = {node for match in matches.values() for node in match.nodes} - matches.keys()
    load_bridges(device.name, sorted({node.op for node in graph}))
    for node in graph:
        if node not in inside:
            _convert_op(node, matches.get(node), device, ctx)
    for name, value in zip(graph.result_names, graph.results, strict=True):
        builder.output(name, ctx.tensor(value))


def matches_of(graph: Graph, device: Device[Any]) -> list[Match]:
    """The composites of a device in a graph that its bridges take.

    Raises `CompileError`, naming the op, where the device's own code fails to tell.
    """
    found = search_composites(graph, device, composites_of(device))
    for fault in found.faults:
        raise fault.error
    return found.matches


def search_composites(graph: Graph, device: Device[Any], composites: Sequence[Composite]) -> CompositeSearch:
    """The composites in a graph that a device's bridges take, and what its own code did wrong meanwhile."""
    if composites:
        load_bridges(device.name, [composite.name for composite in composites])
    return CompositeSearch(graph, [_with_bridge(composite, device) for composite in composites])


def composites_of(device: Device[Any]) -> tuple[Composite, ...]:
    """The composites that a device names; raises `CompileError` where it fails to, or for other things."""

    def named() -> tuple[Composite, ...]:
        found = tuple(device.patterns())
        for item in found:
            if not isinstance(item, Composite):
                raise CompileError(f"patterns() gave {item!r}, expected a Composite")
        return found

    return at_boundary(device.name, "naming its composites", named)


def _with_bridge(composite: Composite, device: Device[Any]) -> Composite:
    """The composite, refused where its bridge declines: a less wanted one may match there instead."""

    def check(match: Match) -> str | None:
        refused = None if composite.check is None else composite.check(match)
        return composite_why_not(match, device) if refused is None else refused

    return replace(composite, check=check)


def bridged(node: Node, match: Match | None = None) -> BridgeOp:
    """An op, or the composite whose last op it is, as its bridge sees it."""
    if match is None:
        return BridgeOp(node)
    producers = {name: value.producer for name, value in match.captures.items()}
    captures = {name: BridgeOp(made) for name, made in producers.items() if made is not None}
    return BridgeOp(node, captures, match.captures)


def why_not(node: Node, device: Device[Any]) -> str | None:
    """Why a device cannot run an op, with what is known of its shapes; None when it can.

    The bridge of the op must be loaded.
    """
    found = BRIDGES.find((device.name, node.op))
    if found is None:
        return f"{device.name} has no bridge for {node.op}"
    return _asked(found, bridged(node), device)


def composite_why_not(match: Match, device: Device[Any]) -> str | None:
    """Why a device cannot run a composite; None when it can."""
    found = BRIDGES.find((device.name, match.composite.name))
    if found is None:
        return f"{device.name} has no bridge for {match.composite.name}"
    return _asked(found, bridged(match.root, match), device)


def _asked(found: Bridge, op: BridgeOp, device: Device[Any]) -> str | None:
    try:
        return at_boundary(
            device.name, f"asking about {op.op} {op.name!r}", lambda: found.why_not(op, device)
        )
    except (CompileError, GraphError) as error:
        return str(error)


def _convert_op(node: Node, match: Match | None, device: Device[Any], ctx: Conversion[Any, Any]) -> None:
    name = node.op if match is None else match.composite.name
    found = BRIDGES.find((device.name, name))
    if found is None:
        raise CompileError(f"{device.name} has no bridge for {name}", node.label)
    op = bridged(node, match)
    reason = _asked(found, op, device)
    if reason is not None:
        raise CompileError(f"{name} {op.name!r}: {reason}", op.name)
    at_boundary(device.name, f"converting {name} {op.name!r}", lambda: found.convert(op, ctx), op=op.name)
