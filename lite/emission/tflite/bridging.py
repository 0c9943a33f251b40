"""Bridges to TFLite, which every device with an SDK that reads TFLite shares.

::

    def clipped(op: BridgeOp, ctx: Context) -> None:
        ...

    register(__name__, {"relu6": clipped})

`TfliteTarget.why_not_operator` is asked about each operator of the conversion on trial.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lite.emission import conversion
from lite.emission.conversion import FixedSizeBridge, Trial
from lite.emission.sizes import sizes
from lite.emission.tflite.builder import Builder, Tensor
from lite.emission.tflite.graph import Operator
from lite.emission.tflite.schema import TYPES
from lite.ir.graph import Quant, Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Device, meta_of

O = TypeVar("O")  # noqa: E741 - the type of a device's options

Context = conversion.Context[Builder, Tensor]
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


class TfliteBridge(FixedSizeBridge[Builder, Tensor]):
    """A conversion as a bridge."""

    def why_not_value(self, value: Value) -> str | None:
        """Why TFLite cannot have a value; None when it can."""
        if value.kind == VarKind.TENSOR_ARRAY:
            return f"{value!r} is a tensor array"
        if value.dtype is not None and value.dtype not in TYPES:
            return f"{value!r} has elements of {value.dtype}, which TFLite has not"
        if value.quant is not None and value.data is None and not _is_int8(value.quant):
            return f"{value!r} is quantised as {value.quant}; TFLite has int8 and uint8 of one scale"
        if value.shape is not None and 0 in value.shape:
            return f"{value!r} is empty; the host runs ops on empty tensors"
        return None

    def tried(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the op has no TFLite form, or the device does not run an operator; None when it does."""
        refused = device.why_not_form(op) if isinstance(device, TfliteTarget) else None
        if refused is not None:
            return refused
        trial = _Trial(Builder(), device)
        self.conversion(op, trial)
        reason = trial.why_not_outputs(op)
        if reason is not None or not isinstance(device, TfliteTarget):
            return reason
        reasons = (device.why_not_operator(operator) for operator in trial.builder.graph.operators)
        return next((reason for reason in reasons if reason is not None), None)


def register(owner: str, conversions: Mapping[str, Convert]) -> None:
    """Register conversions as the bridges of their ops; `owner` is the module that has them."""
    conversion.register(TfliteBridge, SHARED, owner, conversions)


def _is_int8(quant: Quant) -> bool:
    return quant.storage in (DType.INT8, DType.UINT8) and not quant.per_axis


class _Trial(Trial[Builder, Tensor]):
    format = "TFLite"

    def read(self, value: Value) -> Tensor:
        meta = meta_of(value)
        if meta.value is not None:
            return self.builder.constant(value.label, meta.value)
        return self.builder.wrap(self.builder.stored(value.label, meta.dtype or DType.FLOAT32, sizes(meta)))

    def dtype(self, tensor: Tensor, value: Value) -> DType:
        return tensor.dtype
