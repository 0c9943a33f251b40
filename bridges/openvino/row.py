"""A bridge as one row of a table: slots, element types, one expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, DTypes, why_not_mixed_types, why_not_tensors
from lite.dataclass import dataclass
from lite.plugin.device import BridgeOp, Conversion, Device

Make = Callable[..., Tensor]
"""Returns the output, from the builder, the op and the tensors of the row's slots."""

Check = Callable[[BridgeOp], str | None]
"""Returns why OpenVINO cannot run the op; None when it can."""

Context = Conversion[Builder, Tensor]


@dataclass(frozen=True)
class Row:
    """An op with one output.

    `slots` are the arguments of `make`: ``X Y`` one tensor each, ``Bias?`` a tensor or None, ``X*`` a list.
    Inputs have one of `dtypes`, those in the slots of `slot_dtypes` one of the types there; with `one_type`,
    all inputs have the same.  `check` has the limits beyond element types.
    """

    slots: str
    make: Make
    dtypes: DTypes = FLOAT
    slot_dtypes: Mapping[str, DTypes] = field(default_factory=dict)
    one_type: bool = False
    check: Check | None = None

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, self.dtypes, self.slot_dtypes)
        if reason is None and self.one_type:
            reason = why_not_mixed_types(op, *op.node.inputs)
        if reason is None and self.check is not None:
            reason = self.check(op)
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        tensors = [_tensors(op, slot, ctx) for slot in self.slots.split()]
        ctx.output(op, self.make(ctx.builder, op, *tensors))


def _tensors(op: BridgeOp, slot: str, ctx: Context) -> Tensor | list[Tensor] | None:
    if slot.endswith("*"):
        return ctx.inputs(op, slot[:-1])
    return ctx.optional(op, slot[:-1]) if slot.endswith("?") else ctx.input(op, slot)
