"""A bridge that is one row of a table: slots, element types, and one expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.support import FLOAT, DTypes, refused, same_dtype
from lite.plugin.device import BridgeOp, Conversion, Device

Make = Callable[..., Tensor]
"""Makes the output from the builder, the op, and the tensors of the row's slots (None: absent)."""

Why = Callable[[BridgeOp], str | None]
"""Answers a sentence to decline an op, or None."""

Context = Conversion[Builder, Tensor]


@dataclass(frozen=True)
class Row:
    """An op with one output.

    `slots` are what `make` gets: ``X Y`` one tensor each, ``Bias?`` a tensor or None, ``X*`` a list.
    `dtypes` hold for all slots but those in `others`; with `alike`, all slots must be of one type.
    """

    slots: str
    make: Make
    dtypes: DTypes = FLOAT
    others: tuple[tuple[str, DTypes], ...] = ()
    alike: bool = False
    why: Why | None = None

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, self.dtypes, dict(self.others))
        if reason is None and self.alike:
            reason = same_dtype(op, *op.node.inputs)
        if reason is None and self.why is not None:
            reason = self.why(op)
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        tensors = [_tensors(op, slot, ctx) for slot in self.slots.split()]
        ctx.output(op, self.make(ctx.builder, op, *tensors))


def _tensors(op: BridgeOp, slot: str, ctx: Context) -> Tensor | list[Tensor] | None:
    if slot.endswith("*"):
        return ctx.inputs(op, slot[:-1])
    return ctx.optional(op, slot[:-1]) if slot.endswith("?") else ctx.input(op, slot)
