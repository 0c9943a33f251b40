"""Bridges to MIL, the programs of Core ML.

The builder of coremltools checks the types and shapes of each operation of a conversion on trial.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lite.bridges.coreml.builder import MOST_AXES, TYPES, Builder, Tensor
from lite.bridges.coreml.sdk import quiet, sdk
from lite.emission import conversion
from lite.emission.conversion import FixedSizeBridge, Trial
from lite.emission.sizes import sizes
from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Device, meta_of

DEVICE = "coreml"

Context = conversion.Context[Builder, Tensor]
Convert = Callable[[BridgeOp, Context], None]


class CoremlBridge(FixedSizeBridge[Builder, Tensor]):
    """A conversion as a bridge."""

    def why_not_value(self, value: Value) -> str | None:
        """Why an ML program cannot have a value; None when it can."""
        if value.kind == VarKind.TENSOR_ARRAY:
            return f"{value!r} is a tensor array"
        if value.dtype is not None and value.dtype not in TYPES:
            return f"{value!r} has elements of {value.dtype}; ML programs have float32, int32 and bool"
        if value.shape is not None and 0 in value.shape:
            return f"{value!r} is empty; the host runs ops on empty tensors"
        if value.shape is not None and len(value.shape) > MOST_AXES:
            return f"{value!r} has {len(value.shape)} axes; Core ML has {MOST_AXES} at most"
        return None

    def tried(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the op has no form in MIL; None when it has."""
        try:
            with quiet():
                trial = _Trial(op, device)
                with trial.builder.function:
                    self.conversion(op, trial)
                    return trial.why_not_outputs(op)
        except CompileError as error:
            return error.args[0] if error.args else str(error)
        # The builder raises these for types and shapes that an operation does not take.
        except (ValueError, TypeError, NotImplementedError, AttributeError, AssertionError) as error:
            return f"coremltools does not take it: {' '.join(str(error).split())[:300]}"


def register(owner: str, conversions: Mapping[str, Convert]) -> None:
    """Register conversions as the bridges of their ops; `owner` is the module that has them."""
    conversion.register(CoremlBridge, DEVICE, owner, conversions)


class _Trial(Trial[Builder, Tensor]):
    format = "MIL"

    def __init__(self, op: BridgeOp, device: Device[Any]) -> None:
        values = [value for value in dict.fromkeys(op.node.all_inputs()) if value.data is None]
        metas = [meta_of(value) for value in values]
        known = {value: replace(meta, shape=sizes(meta)) for value, meta in zip(values, metas, strict=True)}
        super().__init__(Builder(list(known.values()), sdk().tools.target.iOS16), device)
        self._inputs = known

    def read(self, value: Value) -> Tensor:
        if value.data is not None:
            return self.builder.constant(value.label, value.data)
        # The function has its inputs in the order of the list.
        self._read.update((each, self.builder.input(each.label, meta)) for each, meta in self._inputs.items())
        return self._read[value]

    def dtype(self, tensor: Tensor, value: Value) -> DType:
        kind = self.builder.kind(tensor)
        return DType.INT64 if value.dtype is DType.INT64 and kind is DType.INT32 else kind
