"""Arithmetic of two tensors.  The device wants equal ranks, so the lower one is reshaped first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import FLOAT, FLOAT_OR_INT, sizes, why_not_tensors
from lite.ops.defs.elementwise import aligned
from lite.plugin.device import BridgeOp, Device, bridge


@dataclass(frozen=True)
class Elementwise:
    """An operator of two tensors; `kind` is what the device calls it."""

    kind: str

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op["X"].dtype is not op["Y"].dtype:
            return f"X is {op['X']}, Y is {op['Y']}; the device has one element type for both"
        if self.kind == "MUL" and (op.real("scale"), op.real("bias")) != (1.0, 0.0):
            return "a scale is fused into it; the device's MUL has none"
        return why_not_tensors(op, "X", "Y", dtypes=FLOAT if self.kind == "DIV" else FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shapes = aligned(tuple(sizes(op["X"])), tuple(sizes(op["Y"])), op.integer("axis"))
        x, y = (
            ctx.builder.reshape(ctx.input(op, slot), shape) for slot, shape in zip("XY", shapes, strict=True)
        )
        ctx.output(op, ctx.builder.add(self.kind, x, y))


for _name, _kind in {
    "elementwise_add": "ADD",
    "elementwise_sub": "SUB",
    "elementwise_mul": "MUL",
    "elementwise_div": "DIV",
    "elementwise_max": "MAX",
    "elementwise_min": "MIN",
}.items():
    bridge("sim_npu", _name)(Elementwise(_kind))
