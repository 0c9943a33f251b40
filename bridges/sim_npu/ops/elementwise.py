"""elementwise_{add, sub, mul, div, max, min} → ADD, SUB, MUL, DIV, MAX, MIN; scale, dropout → MUL and ADD.

float32 or int32 of rank 1 to 5; DIV and dropout take float32 only.  Both inputs of an SDK operator have one
element type and one rank, so the input of lower rank is reshaped first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lite.bridges.sim_npu.builder import Builder, Context
from lite.bridges.sim_npu.limits import FLOAT, FLOAT_OR_INT, static_shape, why_not_tensors
from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.ops.broadcast import aligned
from lite.plugin.device import BridgeOp, Device, bridge

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor


@dataclass(frozen=True)
class Elementwise:
    """X, Y → the SDK's operator `kind`."""

    kind: str

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op["X"].dtype is not op["Y"].dtype:
            return f"X is {op['X']}, Y is {op['Y']}; the device has one element type for both"
        if self.kind == "MUL" and (op.real("scale"), op.real("bias")) != (1.0, 0.0):
            return "a scale is fused into it; the device's MUL has none"
        return why_not_tensors(op, "X", "Y", dtypes=FLOAT if self.kind == "DIV" else FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shapes = aligned(tuple(static_shape(op["X"])), tuple(static_shape(op["Y"])), op.integer("axis"))
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


@bridge("sim_npu", "scale")
class Scale:
    """scale → MUL(X, scale) + bias or MUL(X + bias, scale); for int32, Paddle truncates both numbers."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.text("activation") or (op.real("scale1"), op.real("bias1")) != (1.0, 0.0):
            return "an activation or a second scale is fused into it; the device has no such operator"
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x, factor, bias = ctx.input(op, "X"), op.real("scale"), op.real("bias")
        if op["X"].dtype is DType.INT32:
            factor, bias = int(factor), int(bias)
        if op.flag("bias_after_scale"):
            ctx.output(op, _affine(ctx.builder, x, factor, bias))
        else:
            ctx.output(op, _affine(ctx.builder, _affine(ctx.builder, x, 1.0, bias), factor, 0.0))


@bridge("sim_npu", "dropout")
class Dropout:
    """dropout at inference → MUL with the share that is kept, or no node; Mask is not computed."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        upscaled = op.text("dropout_implementation") == "upscale_in_train"
        factor = 1.0 if upscaled else 1.0 - op.real("dropout_prob")
        ctx.output(op, _affine(ctx.builder, ctx.input(op, "X"), factor, 0.0))


def _affine(builder: Builder, x: Tensor, factor: float, bias: float) -> Tensor:
    """factor · x + bias, without a node for a factor of 1 or a bias of 0."""
    if factor != 1.0:
        x = builder.add("MUL", x, builder.scalar(factor, x))
    return builder.add("ADD", x, builder.scalar(bias, x)) if bias else x
