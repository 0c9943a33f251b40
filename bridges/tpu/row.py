"""A bridge as one row of a table: slots, one expression, limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.limits import why_not_tensors
from lite.dataclass import dataclass
from lite.plugin.device import BridgeOp, Conversion, Device

Make = Callable[..., Tensor]
"""Returns the output, from the builder, the op and the tensors of the row's slots."""

Check = Callable[[BridgeOp], str | None]
"""Returns why the device cannot run the op; None when it can."""

Context = Conversion[Builder, Tensor]


@dataclass(frozen=True)
class Row:
    """An op with one output.

    `slots` are the arguments of `make`: ``X Y`` one tensor each, ``Bias?`` a tensor or None, ``X*`` a list.
    `known` are slots of integers that `make` reads as numbers.  `check` has the limits beyond types and
    ranks.
    """

    slots: str
    make: Make
    check: Check | None = None
    known: tuple[str, ...] = ()

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, self.known)
        return self.check(op) if reason is None and self.check is not None else reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        tensors = [_tensors(op, slot, ctx) for slot in self.slots.split()]
        ctx.output(op, self.make(ctx.builder, op, *tensors))


def _tensors(op: BridgeOp, slot: str, ctx: Context) -> Tensor | list[Tensor] | None:
    if slot.endswith("*"):
        return ctx.inputs(op, slot[:-1])
    return ctx.optional(op, slot[:-1]) if slot.endswith("?") else ctx.input(op, slot)
