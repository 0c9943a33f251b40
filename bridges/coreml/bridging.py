"""Conversions as bridges: `why_not` converts into a function that is thrown away.

The builder of coremltools checks the types and shapes of each operation there, so `why_not` cannot differ
from `convert`.  A conversion that finds a limit of its own raises `Declined`.  Sizes that are not known yet
are taken for `GUESS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from lite.bridges.coreml.builder import MOST_AXES, TYPES, Builder, Tensor
from lite.bridges.coreml.sdk import quiet, sdk
from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType, Shape, is_known
from lite.ops.view import Meta, UnknownRank
from lite.plugin.device import BridgeOp, Device, bridge, meta_of

DEVICE = "coreml"

GUESS = 224
"""Stands for a size that is not known when regions are formed."""


class Declined(Exception):  # noqa: N818 - the answer of a conversion, not a failure
    """Ends a conversion with the sentence that says why the op has no form in MIL."""


class Context(Protocol):
    """The second argument of a conversion: `lite.plugin.device.Conversion`, or a trial."""

    @property
    def builder(self) -> Builder:
        """The function to add operations to."""

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


class CoremlBridge:
    """A conversion as a bridge."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the op has no form in MIL; None when it has."""
        used = [value for value in op.node.all_outputs() if value.is_used]
        for value in (*op.node.all_inputs(), *used):
            reason = _why_not_value(value)
            if reason is not None:
                return reason
        try:
            with quiet():
                return self._tried(op)
        except Declined as reason:
            return str(reason)
        except UnknownRank:
            return "the rank of an input is not known"
        except CompileError as error:
            return error.args[0] if error.args else str(error)
        except (ValueError, TypeError, NotImplementedError, AttributeError, AssertionError) as error:
            return f"coremltools does not take it: {' '.join(str(error).split())[:300]}"

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        """Raises `CompileError` where a size depends on more than the sizes of the region's inputs."""
        used = [value for value in op.node.all_outputs() if value.is_used]
        for value in (*op.node.all_inputs(), *used):
            if not is_known(value.shape):
                raise CompileError(f"{value!r} has a size that is not known before the run", op.name)
        self._convert(op, ctx)

    def _tried(self, op: BridgeOp) -> str | None:
        trial = _Trial(op)
        with trial.builder.function:
            self._convert(op, trial)
            return trial.why_not_outputs(op)


def register(owner: str, conversions: Mapping[str, Convert]) -> None:
    """Register conversions as the bridges of their ops; `owner` is the module that has them."""
    # The registry takes the module of a bridge's class as its owner.
    cls: type[CoremlBridge] = type("CoremlBridge", (CoremlBridge,), {"__module__": owner})
    for op, convert in conversions.items():
        bridge(DEVICE, op)(cls(convert))


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
        return f"{value!r} has elements of {value.dtype}; ML programs are built of float32, int32 and bool"
    if value.shape is not None and 0 in value.shape:
        return f"{value!r} is empty; the host runs ops on empty tensors"
    if value.shape is not None and len(value.shape) > MOST_AXES:
        return f"{value!r} has {len(value.shape)} axes; Core ML has {MOST_AXES} at most"
    return None


class _Trial:
    """A conversion into a function that is thrown away."""

    def __init__(self, op: BridgeOp) -> None:
        values = [value for value in dict.fromkeys(op.node.all_inputs()) if value.data is None]
        metas = [meta_of(value) for value in values]
        known = [replace(meta, shape=sizes(meta)) for meta in metas]
        self.builder = Builder(known, sdk().tools.target.iOS16)
        self._inputs = dict(zip(values, known, strict=True))
        self._read: dict[Value, Tensor] = {}
        self._made: dict[Value, Tensor] = {}

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        return self.inputs(op, slot)[0]

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        return self.input(op, slot) if op.node.inputs.get(slot) else None

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        if not self._read:
            for value, meta in self._inputs.items():
                self._read[value] = self.builder.input(value.label, meta)
        return [self._tensor(value) for value in op.node.inputs.get(slot, ())]

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
                    return f"output {slot} is read, and the conversion to MIL does not compute it"
                expected = DType.INT32 if value.dtype is DType.INT64 else value.dtype
                made = self.builder.kind(tensor)
                if made is not (expected or made):
                    return f"output {slot} is {value.dtype}, and MIL computes {made}"
        return None

    def _tensor(self, value: Value) -> Tensor:
        if value not in self._read:
            if value.data is None:
                raise CompileError(f"{value!r} has no tensor")
            self._read[value] = self.builder.constant(value.label, value.data)
        return self._read[value]
