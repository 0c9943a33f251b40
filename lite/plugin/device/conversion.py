"""The tensors of a device's graph while bridges build it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device.bridge_op import BridgeOp, meta_of
from lite.plugin.device.devices import Device

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
B = TypeVar("B")


class Builder(Protocol[T]):
    """A device's graph under construction, whose tensors are of type T.

    Bridges call further methods of the device's own builder; these three are what `convert` calls, and
    `DescribesOutputs.describe_output` where a builder has it.
    """

    def input(self, name: str, meta: Meta) -> T:
        """Add an input of the region; an unknown dimension is a string."""

    def constant(self, name: str, array: Array) -> T:
        """Add a constant tensor; `array` is read-only and may be kept."""

    def output(self, name: str, tensor: T) -> None:
        """Make a tensor the next output of the region."""


@runtime_checkable
class QuantizedBuilder(Builder[T], Protocol[T]):
    """The builder of a device that takes quantised values (`Device.takes_quantized`)."""

    def rounded(self, name: str, tensor: T, meta: Meta) -> T:
        """A tensor with the numbers of `tensor`, rounded to what the integers of `meta.quant` stand for.

        It is called for each quantised input of a region and each quantised output of an op.  A format whose
        tensors have scales sets them here and returns `tensor`.
        """

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> T:
        """Add a constant; `stored` has the integers of `meta.quant`, is read-only and may be kept."""


@runtime_checkable
class DescribesOutputs(Protocol):
    """A builder that receives the meta of an output before `Builder.output` adds it."""

    def describe_output(self, name: str, meta: Meta) -> None:
        """The element type and shape of the output `name`; an unknown dimension is a string."""


class ConstantMaker(Protocol[T_co]):
    """`Builder.constant` on its own."""

    def __call__(self, name: str, array: Array) -> T_co:
        """Add a constant tensor."""


class Conversion(Generic[B, T]):
    """Connects bridges with the device's graph: `builder` adds ops, the methods find and set tensors.

    B is the type of the builder, T the type of its tensors.  With `quantized`, tensors of quantised values
    are rounded by its methods.
    """

    def __init__(
        self,
        builder: B,
        device: Device[Any],
        constant: ConstantMaker[T],
        quantized: QuantizedBuilder[T] | None = None,
    ) -> None:
        self.builder = builder
        self.device = device
        self._constant = constant
        self._quantized = quantized
        self._tensors: dict[Value, T] = {}

    def input(self, op: BridgeOp, slot: str) -> T:
        """The tensor of an input; a constant gets its tensor when it is first read.

        Raises `CompileError` for a slot that does not have exactly one value.
        """
        tensors = self.inputs(op, slot)
        if len(tensors) != 1:
            raise CompileError(f"{op.op}: slot {slot} holds {len(tensors)} values, expected one", op.name)
        return tensors[0]

    def optional(self, op: BridgeOp, slot: str) -> T | None:
        """The tensor of an optional input, or None where the op lacks it."""
        return self.input(op, slot) if op.node.inputs.get(slot) else None

    def inputs(self, op: BridgeOp, slot: str) -> list[T]:
        """The tensors of a repeated input slot."""
        return [self.tensor(value) for value in op.node.inputs.get(slot, ())]

    def output(self, op: BridgeOp, tensor: T, slot: str | None = None) -> None:
        """Set the tensor of the only output of a slot, by default of the first slot."""
        self.set_tensor(op.node.output(slot), tensor)

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[T]) -> None:
        """Set the tensors of a repeated output slot."""
        for value, tensor in zip(op.node.outputs[slot], tensors, strict=True):
            self.set_tensor(value, tensor)

    def tensor(self, value: Value) -> T:
        """The tensor of a value, such as one that a composite captured.

        Raises `CompileError` for a value that has no tensor yet.
        """
        if value not in self._tensors:
            if value.data is None:
                writer = "an input" if value.producer is None else f"written by op {value.producer.op}"
                raise CompileError(f"{value!r}, {writer}, has no tensor yet", value.label)
            self._tensors[value] = self._constant_tensor(value, value.data)
        return self._tensors[value]

    def set_tensor(self, value: Value, tensor: T) -> None:
        """Set the tensor of a value; that of a quantised value is rounded."""
        if value.quant is not None:
            tensor = self._rounding(value).rounded(value.label, tensor, meta_of(value))
        self._tensors[value] = tensor

    def _constant_tensor(self, value: Value, data: Array) -> T:
        if value.quant is None:
            return self._constant(value.label, data)
        meta = Meta(value.dtype or DType.FLOAT32, value.shape, quant=value.quant)
        return self._rounding(value).quantized_constant(value.label, data, meta)

    def _rounding(self, value: Value) -> QuantizedBuilder[T]:
        if self._quantized is None:
            raise CompileError(
                f"{value!r} is quantised, but the builder of {self.device.name} is no QuantizedBuilder",
                value.label,
            )
        return self._quantized
