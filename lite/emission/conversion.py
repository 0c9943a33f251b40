"""Bridges that are one function each: a conversion, which also decides what is supported.

`why_not` runs the conversion on trial, into a graph that is thrown away, so it cannot differ from `convert`.
A conversion that finds a limit of its own (an unknown size, a fused activation) raises `Declined`.  Such a
limit appears in the middle of a conversion, often in a function that several share; a check before it would
repeat the conversion up to there.  `Declined` is not an error: `why_not` catches it and returns its sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.types import DType, is_known
from lite.ops.view import UnknownRank
from lite.plugin.device import BridgeOp, Device, bridge

B_co = TypeVar("B_co", covariant=True)
"""The builder of a format."""

T = TypeVar("T")
"""A tensor of a format."""


class Declined(Exception):  # noqa: N818 - the answer of a conversion, not a failure
    """Ends a conversion with the sentence that says why the op has no form in the format."""


class Context(Protocol[B_co, T]):
    """The second argument of a conversion: `lite.plugin.device.Conversion`, or a `Trial`."""

    @property
    def builder(self) -> B_co:
        """The graph to add operators to."""

    @property
    def device(self) -> Device[Any]:
        """The device that the graph is for."""

    def input(self, op: BridgeOp, slot: str) -> T:
        """The tensor of an input."""

    def optional(self, op: BridgeOp, slot: str) -> T | None:
        """The tensor of an input that may be absent."""

    def inputs(self, op: BridgeOp, slot: str) -> list[T]:
        """The tensors of a repeated slot."""

    def output(self, op: BridgeOp, tensor: T, slot: str | None = None) -> None:
        """Set the tensor of an output."""

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[T]) -> None:
        """Set the tensors of the outputs of a repeated slot."""


class Trial(ABC, Generic[B_co, T]):
    """A conversion into a graph that is thrown away; `format` is the name of the format in sentences."""

    format: ClassVar[str]

    def __init__(self, builder: B_co, device: Device[Any]) -> None:
        self.builder = builder
        self.device = device
        self._read: dict[Value, T] = {}
        self._made: dict[Value, T] = {}

    @abstractmethod
    def read(self, value: Value) -> T:
        """The tensor of a constant or of an input of the graph, when it is first read."""

    @abstractmethod
    def dtype(self, tensor: T, value: Value) -> DType:
        """The element type that the format computes for a value."""

    def input(self, op: BridgeOp, slot: str) -> T:
        """The tensor of an input."""
        return self.inputs(op, slot)[0]

    def optional(self, op: BridgeOp, slot: str) -> T | None:
        """The tensor of an input that may be absent."""
        return self.input(op, slot) if op.node.inputs.get(slot) else None

    def inputs(self, op: BridgeOp, slot: str) -> list[T]:
        """The tensors of a repeated slot."""
        values = op.node.inputs.get(slot, ())
        for value in values:
            if value not in self._read:
                self._read[value] = self.read(value)
        return [self._read[value] for value in values]

    def output(self, op: BridgeOp, tensor: T, slot: str | None = None) -> None:
        """Set the tensor of an output."""
        self._made[op.node.output(slot)] = tensor

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[T]) -> None:
        """Set the tensors of the outputs of a repeated slot."""
        self._made.update(zip(op.node.outputs[slot], tensors, strict=True))

    def why_not_outputs(self, op: BridgeOp) -> str | None:
        """Why an output that is read does not result from the conversion; None when all do."""
        for slot, values in op.node.outputs.items():
            for value in values:
                if not value.is_used:
                    continue
                tensor = self._made.get(value)
                if tensor is None:
                    return f"output {slot} is read, and {self.format} does not compute it"
                made = self.dtype(tensor, value)
                if made is not (value.dtype or made):
                    return f"output {slot} is {value.dtype}, and {self.format} computes {made}"
        return None


class ConversionBridge(ABC, Generic[B_co, T]):
    """A conversion as a bridge."""

    def __init__(self, conversion: Callable[[BridgeOp, Context[B_co, T]], None]) -> None:
        self.conversion = conversion

    @abstractmethod
    def why_not_value(self, value: Value) -> str | None:
        """Why the format cannot have a value, in one sentence; None when it can."""

    @abstractmethod
    def tried(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Convert on trial: why the result is not that of the op, or the device does not take it, or None."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """The limit that the conversion finds, or the device's reason against what it makes."""
        for value in _values(op):
            reason = self.why_not_value(value)
            if reason is not None:
                return reason
        try:
            return self.tried(op, device)
        except Declined as reason:
            return str(reason)
        except UnknownRank:
            return "the rank of an input is not known"

    def convert(self, op: BridgeOp, ctx: Context[B_co, T]) -> None:
        """Run the conversion."""
        self.conversion(op, ctx)


class FixedSizeBridge(ConversionBridge[B_co, T]):
    """A conversion to a format whose sizes are numbers."""

    def convert(self, op: BridgeOp, ctx: Context[B_co, T]) -> None:
        """Raises `CompileError` where a size depends on more than the sizes of the region's inputs."""
        for value in _values(op):
            if not is_known(value.shape):
                raise CompileError(f"{value!r} has a size that is not known before the run", op.name)
        self.conversion(op, ctx)


def register(
    cls: type[ConversionBridge[B_co, T]],
    device: str,
    owner: str,
    conversions: Mapping[str, Callable[[BridgeOp, Context[B_co, T]], None]],
) -> None:
    """Register conversions as the bridges of their ops; `owner` is the module that has them."""
    # The registry takes the module of a bridge's class as its owner.
    owned: type[ConversionBridge[B_co, T]] = type(cls.__name__, (cls,), {"__module__": owner})
    for op, conversion in conversions.items():
        bridge(device, op)(owned(conversion))


def _values(op: BridgeOp) -> Iterator[Value]:
    yield from op.node.all_inputs()
    yield from (value for value in op.node.all_outputs() if value.is_used)
