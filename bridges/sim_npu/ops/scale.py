"""scale → MUL and ADD with constants; dropout, which at inference is a factor or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lite.bridges.sim_npu.builder import Builder, Context
from lite.bridges.sim_npu.limits import FLOAT_OR_INT, why_not_tensors
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, Device, bridge

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor


def _affine(builder: Builder, x: Tensor, factor: float, shift: float) -> Tensor:
    if factor != 1.0:
        x = builder.add("MUL", x, builder.scalar(factor, x))
    return builder.add("ADD", x, builder.scalar(shift, x)) if shift else x


@bridge("sim_npu", "scale")
class Scale:
    """scale · X + bias, or scale · (X + bias); for integers, Paddle cuts both numbers to whole ones."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.text("activation") or (op.real("scale1"), op.real("bias1")) != (1.0, 0.0):
            return "an activation or a second scale is fused into it; the device has no such operator"
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x, factor, shift = ctx.input(op, "X"), op.real("scale"), op.real("bias")
        if op["X"].dtype is DType.INT32:
            factor, shift = int(factor), int(shift)
        if op.flag("bias_after_scale"):
            found = _affine(ctx.builder, x, factor, shift)
        else:
            found = _affine(ctx.builder, _affine(ctx.builder, x, 1.0, shift), factor, 0.0)
        ctx.output(op, found)


@bridge("sim_npu", "dropout")
class Dropout:
    """Out alone: the mask is for training."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        kept = op.text("dropout_implementation") == "upscale_in_train"
        factor = 1.0 if kept else 1.0 - op.real("dropout_prob")
        ctx.output(op, _affine(ctx.builder, ctx.input(op, "X"), factor, 0.0))
