"""Matrix products."""

from __future__ import annotations

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.ops.sizes import known_dims
from lite.errors import CompileError
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp

_FUSED = [f"fused_{what}_{slot}" for what in ("reshape", "transpose") for slot in ("X", "Y", "Out")]


@converts("matmul_v2")
def matmul_v2(op: BridgeOp, ctx: Context) -> None:
    """MatMul, behind transposes where they are asked for (a vector has none)."""
    _check_plain(op)
    x = _maybe_transposed(op, ctx, "X", transposed=op.flag("trans_x"))
    y = _maybe_transposed(op, ctx, "Y", transposed=op.flag("trans_y"))
    ctx.output(op, ctx.builder.add("MatMul", x, y))


@converts("matmul")
def matmul(op: BridgeOp, ctx: Context) -> None:
    """MatMul of matrices; vectors are a row of X and a column of Y."""
    _check_plain(op)
    b = ctx.builder
    x_rank, y_rank = op["X"].rank, op["Y"].rank
    if x_rank < 2 or y_rank < 2:
        raise CompileError(f"X and Y must have at least 2 axes, got {op['X']} and {op['Y']}")
    x = _maybe_transposed(op, ctx, "X", transposed=op.flag("transpose_X"))
    y = _maybe_transposed(op, ctx, "Y", transposed=op.flag("transpose_Y"))
    result, alpha = b.add("MatMul", x, y), op.real("alpha")
    ctx.output(op, result if alpha == 1.0 else b.add("Mul", result, b.scalar(alpha, x.dtype)))


@converts("bmm")
def bmm(op: BridgeOp, ctx: Context) -> None:
    """MatMul of a batch."""
    ctx.output(op, ctx.builder.add("MatMul", ctx.input(op, "X"), ctx.input(op, "Y")))


@converts("mul")
def mul(op: BridgeOp, ctx: Context) -> None:
    """MatMul of two tensors seen as matrices, whose rows are so many first axes."""
    b, columns = ctx.builder, op.integer("y_num_col_dims")
    rows = op.integer("x_num_col_dims")
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    x_rank, y_rank = op["X"].rank, op["Y"].rank
    if columns != 1 or y_rank != 2:
        y = b.add("Flatten", y, axis=columns)
    if x_rank - rows == 1 and y_rank - columns == 1:
        # The product of the last axis; those in front stay as they are.
        ctx.output(op, b.add("MatMul", x, y))
        return
    product = b.add("MatMul", b.add("Flatten", x, axis=rows), y)
    tail = known_dims(Meta(op["Y"].dtype, op["Y"].dims[columns:]), "the columns of Y")
    lead = b.cut(b.sizes(x), [0], [rows], [0])
    ctx.output(op, b.add("Reshape", product, b.add("Concat", lead, b.ints(*tail), axis=0)))


@converts("fc")
def fc(op: BridgeOp, ctx: Context) -> None:
    """A linear layer without an activation."""
    if op.text("activation_type") or op.text("activation") or op.all("Alpha") or op.flag("padding_weights"):
        raise CompileError("it is a fused layer, with an activation")
    b, rows = ctx.builder, op.integer("in_num_col_dims")
    x = ctx.input(op, "Input")
    if op["Input"].rank - rows != 1:
        sizes = [0] * rows + [-1]
        x = b.reshape(x, *sizes)
    result, bias = b.add("MatMul", x, ctx.input(op, "W")), ctx.optional(op, "Bias")
    ctx.output(op, result if bias is None else b.add("Add", result, b.flat(bias)))


def _maybe_transposed(op: BridgeOp, ctx: Context, slot: str, *, transposed: bool) -> Tensor:
    rank = op[slot].rank
    tensor = ctx.input(op, slot)
    if not transposed or rank < 2:
        return tensor
    return ctx.builder.transpose(tensor, [*range(rank - 2), rank - 1, rank - 2])


def _check_plain(op: BridgeOp) -> None:
    if any(op.integers(name) for name in _FUSED):
        raise CompileError("it is a fused product, with reshapes and transposes")
    if op.op == "matmul" and op.integer("head_number") != 1:
        raise CompileError("it is a product of several heads")
