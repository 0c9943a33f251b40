"""Bridges to StableHLO, shared by all devices whose compilers read it.

::

    def tanh(op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.unary("tanh", ctx.input(op, "X")))

    register(__name__, {"tanh": tanh})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lite.emission import conversion
from lite.emission.conversion import FixedSizeBridge, Trial
from lite.emission.sizes import sizes
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.emission.stablehlo.text import ELEMENTS
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Device, meta_of

Context = conversion.Context[Builder, Tensor]
Convert = Callable[[BridgeOp, Context], None]

SHARED = "stablehlo"
"""The name under which the bridges are registered, for every device that reads StableHLO."""


class StablehloBridge(FixedSizeBridge[Builder, Tensor]):
    """A bridge that converts an op to StableHLO; the sizes of all its values must be known."""

    def why_not_value(self, value: Value) -> str | None:
        """Why a conversion cannot read or write a value; None if it can."""
        if value.kind == VarKind.TENSOR_ARRAY:
            return f"{value!r} is a tensor array"
        if value.dtype is not None and value.dtype not in ELEMENTS:
            names = ", ".join(map(str, ELEMENTS))
            return f"{value!r} has elements of {value.dtype}; conversions to StableHLO take {names}"
        if value.shape is not None and 0 in value.shape:
            return f"{value!r} is empty; the host runs ops on empty tensors"
        return None

    def tried(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the op cannot be converted to StableHLO; None if it can."""
        trial = _Trial(Builder(), device)
        self.conversion(op, trial)
        return trial.why_not_outputs(op)


def register(owner: str, conversions: Mapping[str, Convert]) -> None:
    """Register conversions as the bridges of their ops; `owner` is the module that defines them."""
    conversion.register(StablehloBridge, SHARED, owner, conversions)


class _Trial(Trial[Builder, Tensor]):
    format = "StableHLO"

    def read(self, value: Value) -> Tensor:
        meta = meta_of(value)
        if meta.value is not None:
            return self.builder.array(meta.value)
        return Tensor(meta.dtype or DType.FLOAT32, sizes(meta))

    def dtype(self, tensor: Tensor, value: Value) -> DType:
        return tensor.dtype
