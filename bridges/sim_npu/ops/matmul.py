"""Matrix products → MATMUL; with a constant matrix on the right, mul and fc → FULLY_CONNECTED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import sizes, why_not_computed, why_not_tensors
from lite.bridges.sim_npu.ops.free_activation import FREE, own_activation, why_not_activation
from lite.plugin.device import BridgeOp, Device, bridge

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor


@bridge("sim_npu", "matmul", "matmul_v2", "bmm")
class MatMul:
    """The device multiplies matrices, not vectors, and wants equal ranks."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        for slot in ("X", "Y"):
            if op[slot].shape is not None and op[slot].rank < 2:
                return f"{slot} is {op[slot]}; the device multiplies matrices, not vectors"
        return why_not_tensors(op, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shapes = [sizes(op[slot]) for slot in ("X", "Y")]
        rank = max(len(shape) for shape in shapes)
        x, y = (
            ctx.builder.reshape(ctx.input(op, slot), [1] * (rank - len(shape)) + shape)
            for slot, shape in zip("XY", shapes, strict=True)
        )
        flags = {"matmul": ("transpose_X", "transpose_Y"), "matmul_v2": ("trans_x", "trans_y")}.get(op.op, ())
        transposed = [op.flag(name) for name in flags] or [False, False]
        product = ctx.builder.add("MATMUL", x, y, transpose_a=transposed[0], transpose_b=transposed[1])
        alpha = op.real("alpha") if op.op == "matmul" else 1.0
        if alpha != 1.0:
            product = ctx.builder.add("MUL", product, ctx.builder.scalar(alpha, product))
        ctx.output(op, product)


@bridge("sim_npu", "mul")
class Mul:
    """Both operands are reshaped to matrices first, as the op defines."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = matrix(ctx, ctx.input(op, "X"), op.integer("x_num_col_dims"))
        y = matrix(ctx, ctx.input(op, "Y"), op.integer("y_num_col_dims"))
        kind = "MATMUL" if y.data is None else "FULLY_CONNECTED"
        ctx.output(op, ctx.builder.reshape(ctx.builder.add(kind, x, y), sizes(op.output())))


@bridge("sim_npu", "fc")
class FullyConnected:
    """Weights and bias lie in the device's weight memory; relu and relu6 cost nothing."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.flag("padding_weights"):
            return "its weights are padded by four rows and columns; the device's are not"
        return (
            why_not_computed(op, "W", "Bias")
            or why_not_tensors(op, "Input", "W", "Bias")
            or why_not_activation(op)
        )

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = matrix(ctx, ctx.input(op, "Input"), op.integer("in_num_col_dims"))
        bias = op.constant("Bias")
        more = [] if bias is None else [ctx.builder.constant("bias", bias.reshape(-1))]
        product = ctx.builder.add(
            "FULLY_CONNECTED", x, ctx.input(op, "W"), *more, activation=FREE[own_activation(op)]
        )
        ctx.output(op, ctx.builder.reshape(product, sizes(op.output())))


def matrix(ctx: Context, tensor: Tensor, rows: int) -> Tensor:
    """A tensor whose first `rows` axes are one, and the others another."""
    shape = tensor.shape
    return ctx.builder.reshape(tensor, [math.prod(shape[:rows]), math.prod(shape[rows:])])
