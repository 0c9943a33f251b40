"""Conversions as bridges: `why_not` converts into a graph that is thrown away.

::

    def clipped(op: BridgeOp, ctx: Context) -> None:
        ...

    register(__name__, {"relu6": clipped})

A conversion that finds a limit raises `Declined`.  `TfliteTarget.why_not_operator` is asked about each
operator of the trial.  Sizes that are not known yet are taken for `GUESS` there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from lite.emission.tflite.builder import Builder, Tensor
from lite.emission.tflite.graph import Operator
from lite.emission.tflite.schema import TYPES
from lite.errors import CompileError, GraphError
from lite.ir.graph import Quant, Value
from lite.ir.program import VarKind
from lite.ir.types import DType, Shape, is_known
from lite.ops.view import Meta, UnknownRank
from lite.plugin.device import BridgeOp, Device, bridge

O = TypeVar("O")  # noqa: E741 - the type of a device's options

GUESS = 224
"""Stands for a size that is not known when regions are formed."""


class Declined(Exception):  # noqa: N818 - the answer of a conversion, not a failure
    """Ends a conversion with the sentence that says why the op has no TFLite form."""


class Context(Protocol):
    """The second argument of a conversion: `lite.plugin.device.Conversion`, or a trial."""

    @property
    def builder(self) -> Builder:
        """The graph to add operators to."""

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        """The tensor of an input."""

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        """The tensor of an input that may be absent."""

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        """The tensors of a repeated slot."""

    def output(self, op: BridgeOp, tensor: Tensor, slot: str | None = None) -> None:
        """Set the tensor of an output."""

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[Tensor]) -> None:
        """Set the tensors of the outputs of a repeated slot."""


Convert = Callable[[BridgeOp, Context], None]

SHARED = "tflite"
"""The name under which the bridges are registered, for every device that reads TFLite."""


class TfliteTarget(Device[O]):
    """A device whose SDK reads TFLite."""

    shared_bridges = SHARED

    def why_not_form(self, op: BridgeOp) -> str | None:
        """Why the device does not take an op, apart from its operators; None when it does."""
        return None

    @abstractmethod
    def why_not_operator(self, operator: Operator) -> str | None:
        """Why the device does not run an operator, in one sentence; None when it does."""


class TfliteBridge:
    """A conversion as a bridge."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the op has no TFLite form, or the device does not run it; None when it does."""
        read = (value for value in op.node.all_outputs() if value.is_used)
        for value in (*op.node.all_inputs(), *read):
            reason = _why_not_value(value)
            if reason is not None:
                return reason
        refused = device.why_not_form(op) if isinstance(device, TfliteTarget) else None
        if refused is not None:
            return refused
        trial = _Trial()
        try:
            self._convert(op, trial)
        except Declined as reason:
            return str(reason)
        except UnknownRank:
            return "the rank of an input is not known"
        return trial.why_not_outputs(op) or trial.why_not_operators(device)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        """Raises `CompileError` where a size depends on more than the sizes of the region's inputs."""
        read = (value for value in op.node.all_outputs() if value.is_used)
        for value in (*op.node.all_inputs(), *read):
            if not is_known(value.shape):
                raise CompileError(f"{value!r} has a size that is not known before the run", op.name)
        self._convert(op, ctx)


def register(owner: str, conversions: Mapping[str, Convert]) -> None:
    """Register conversions as the bridges of their ops; `owner` is the module that has them."""
    # The registry takes the module of a bridge's class as its owner.
    cls: type[TfliteBridge] = type("TfliteBridge", (TfliteBridge,), {"__module__": owner})
    for op, convert in conversions.items():
        bridge(SHARED, op)(cls(convert))


def sizes(meta: Meta) -> tuple[int, ...]:
    """The shape as numbers; a size that is not known yet is `GUESS`."""
    return numbers(meta.dims)


def numbers(dims: Shape) -> tuple[int, ...]:
    """Sizes as numbers; one that is not known yet is `GUESS`."""
    return tuple(dim if isinstance(dim, int) else GUESS for dim in dims)


def _why_not_value(value: Value) -> str | None:
    if value.kind == VarKind.TENSOR_ARRAY:
        return f"{value!r} is a tensor array"
    if value.dtype is not None and value.dtype not in TYPES:
        return f"{value!r} has elements of {value.dtype}, which TFLite has not"
    if value.quant is not None and value.data is None and not _is_int8(value.quant):
        return f"{value!r} is quantised as {value.quant}; TFLite has int8 and uint8 of one scale"
    if value.shape is not None and 0 in value.shape:
        return f"{value!r} is empty; the host runs ops on empty tensors"
    return None


def _is_int8(quant: Quant) -> bool:
    return quant.storage in (DType.INT8, DType.UINT8) and not quant.per_axis


class _Trial:
    """A conversion into a graph that is thrown away."""

    def __init__(self) -> None:
        self.builder = Builder()
        self._made: dict[Value, Tensor] = {}
        self._read: dict[Value, Tensor] = {}

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        tensors = self.inputs(op, slot)
        if len(tensors) != 1:
            raise GraphError(f"{op.op}: slot {slot} holds {len(tensors)} values, expected one")
        return tensors[0]

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        return self.input(op, slot) if op.node.inputs.get(slot) else None

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        return [
            self._tensor(value, meta)
            for value, meta in zip(op.node.inputs.get(slot, ()), op.all(slot), strict=True)
        ]

    def output(self, op: BridgeOp, tensor: Tensor, slot: str | None = None) -> None:
        self._made[op.node.output(slot)] = tensor

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[Tensor]) -> None:
        self._made.update(zip(op.node.outputs[slot], tensors, strict=True))

    def why_not_outputs(self, op: BridgeOp) -> str | None:
        """Why an output that is read does not result from the conversion; None when all do."""
        for slot, values in op.node.outputs.items():
            for value in values:
                if not value.is_used:
                    continue
                tensor = self._made.get(value)
                if tensor is None:
                    return f"output {slot} is read, and the conversion to TFLite does not compute it"
                if tensor.dtype is not (value.dtype or tensor.dtype):
                    return f"output {slot} is {value.dtype}, and TFLite computes {tensor.dtype}"
        return None

    def why_not_operators(self, device: Device[Any]) -> str | None:
        """Why the device does not run one of the operators; None when it runs all."""
        if not isinstance(device, TfliteTarget):
            return None
        reasons = (device.why_not_operator(operator) for operator in self.builder.graph.operators)
        return next((reason for reason in reasons if reason is not None), None)

    def _tensor(self, value: Value, meta: Meta) -> Tensor:
        if value not in self._read:
            if meta.value is not None:
                self._read[value] = self.builder.constant(value.label, meta.value)
            else:
                stored = self.builder.stored(value.label, meta.dtype or DType.FLOAT32, sizes(meta))
                self._read[value] = self.builder.wrap(stored)
        return self._read[value]
