"""matmul, matmul_v2, bmm → MATMUL; mul → MATMUL or FULLY_CONNECTED; fc → FULLY_CONNECTED.

float32 of rank 2 to 5: the device multiplies matrices, not vectors.  The W and Bias of fc are constants.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.fused_activation import FREE, why_not_activation
from lite.bridges.sim_npu.limits import static_shape, why_not_computed, why_not_tensors
from lite.plugin.device import BridgeOp, Device, bridge

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor


@bridge("sim_npu", "matmul", "matmul_v2", "bmm")
class MatMul:
    """X, Y → MATMUL of tensors of one rank: the one of lower rank gets axes of size 1 in front."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        for slot in ("X", "Y"):
            if op[slot].shape is not None and op[slot].rank < 2:
                return f"{slot} is {op[slot]}; the device multiplies matrices, not vectors"
        return why_not_tensors(op, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shapes = [static_shape(op[slot]) for slot in ("X", "Y")]
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
    """X, Y, both reshaped to matrices → MATMUL, or FULLY_CONNECTED where Y is a constant."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X", "Y")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = _matrix(ctx, ctx.input(op, "X"), op.integer("x_num_col_dims"))
        y = _matrix(ctx, ctx.input(op, "Y"), op.integer("y_num_col_dims"))
        kind = "MATMUL" if y.data is None else "FULLY_CONNECTED"
        ctx.output(op, ctx.builder.reshape(ctx.builder.add(kind, x, y), static_shape(op.output())))


@bridge("sim_npu", "fc")
class FullyConnected:
    """Input, W float32[K, M], Bias float32[M] → FULLY_CONNECTED; relu and relu6 are free."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.flag("padding_weights"):
            return "W is padded by four rows and columns; the device takes weights without padding"
        return (
            why_not_computed(op, "W", "Bias")
            or why_not_tensors(op, "Input", "W", "Bias")
            or why_not_activation(op)
        )

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = _matrix(ctx, ctx.input(op, "Input"), op.integer("in_num_col_dims"))
        bias = op.constant("Bias")
        optional = [] if bias is None else [ctx.builder.constant("bias", bias.reshape(-1))]
        product = ctx.builder.add(
            "FULLY_CONNECTED", x, ctx.input(op, "W"), *optional, activation=FREE[op.text("activation")]
        )
        ctx.output(op, ctx.builder.reshape(product, static_shape(op.output())))


def _matrix(ctx: Context, tensor: Tensor, row_axes: int) -> Tensor:
    """A tensor reshaped to a matrix, whose rows are its first `row_axes` axes."""
    shape = tensor.shape
    return ctx.builder.reshape(tensor, [math.prod(shape[:row_axes]), math.prod(shape[row_axes:])])
