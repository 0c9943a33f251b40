"""matmul, mul, fc, bmm → MatMul; einsum, determinant, inverse, cos_sim (ONNX opset 21).

Fused activations, reshapes and transposes are declined.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Builder, Tensor
from lite.emission.onnx.shape_inputs import require_dims
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp

_FUSED = [f"fused_{what}_{slot}" for what in ("reshape", "transpose") for slot in ("X", "Y", "Out")]


@converts("matmul_v2")
def matmul_v2(op: BridgeOp, ctx: Context) -> None:
    """matmul_v2 → MatMul; Transpose is added for trans_x and trans_y.

    A vector Y becomes a matrix of one column: ONNX Runtime 1.32 fuses a Transpose of X with MatMul, and its
    FusedMatMul multiplies a transposed X by a vector wrongly.
    """
    _check_plain(op)
    b = ctx.builder
    x = _maybe_transposed(op, ctx, "X", transposed=op.flag("trans_x"))
    y = _maybe_transposed(op, ctx, "Y", transposed=op.flag("trans_y"))
    if op["Y"].rank > 1 or op["X"].rank < 2:
        ctx.output(op, b.add("MatMul", x, y))
        return
    product = b.add("MatMul", x, b.add("Unsqueeze", y, b.ints(1)))
    ctx.output(op, b.add("Squeeze", product, b.ints(-1)))


@converts("matmul")
def matmul(op: BridgeOp, ctx: Context) -> None:
    """matmul → MatMul of tensors of rank 2 or more, and Mul with alpha."""
    _check_plain(op)
    b = ctx.builder
    x_rank, y_rank = op["X"].rank, op["Y"].rank
    if x_rank < 2 or y_rank < 2:
        raise Declined(f"X and Y must have at least 2 axes, got {op['X']} and {op['Y']}")
    x = _maybe_transposed(op, ctx, "X", transposed=op.flag("transpose_X"))
    y = _maybe_transposed(op, ctx, "Y", transposed=op.flag("transpose_Y"))
    result, alpha = b.add("MatMul", x, y), op.real("alpha")
    ctx.output(op, result if alpha == 1.0 else b.add("Mul", result, b.scalar(alpha, x.dtype)))


@converts("bmm")
def bmm(op: BridgeOp, ctx: Context) -> None:
    """bmm → MatMul."""
    ctx.output(op, ctx.builder.add("MatMul", ctx.input(op, "X"), ctx.input(op, "Y")))


@converts("mul")
def mul(op: BridgeOp, ctx: Context) -> None:
    """mul → Flatten of X and Y to matrices, MatMul, Reshape."""
    b, columns = ctx.builder, op.integer("y_num_col_dims")
    rows = op.integer("x_num_col_dims")
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    x_rank, y_rank = op["X"].rank, op["Y"].rank
    if columns != 1 or y_rank != 2:
        y = b.add("Flatten", y, axis=columns)
    if x_rank - rows == 1 and y_rank - columns == 1:
        # MatMul multiplies the last axis of X and keeps the others.
        ctx.output(op, b.add("MatMul", x, y))
        return
    product = b.add("MatMul", b.add("Flatten", x, axis=rows), y)
    tail = require_dims(Meta(op["Y"].dtype, op["Y"].dims[columns:]), "the columns of Y")
    lead = b.slice(b.sizes(x), [0], [rows], [0])
    ctx.output(op, b.add("Reshape", product, b.add("Concat", lead, b.ints(*tail), axis=0)))


@converts("fc")
def fc(op: BridgeOp, ctx: Context) -> None:
    """fc → MatMul and Add, without an activation."""
    if op.text("activation") or op.all("Alpha") or op.flag("padding_weights"):
        raise Declined("it has an activation or padded weights, expected neither; the host computes it")
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
        raise Declined("a reshape or a transpose is fused into it")
    if op.op == "matmul" and op.integer("head_number") != 1:
        raise Declined(f"head_number is {op.integer('head_number')}, expected 1")


@converts("einsum")
def einsum(op: BridgeOp, ctx: Context) -> None:
    """einsum → Einsum."""
    ctx.output(op, ctx.builder.add("Einsum", *ctx.inputs(op, "Operands"), equation=op.text("equation")))


@converts("determinant")
def determinant(op: BridgeOp, ctx: Context) -> None:
    """determinant → Det."""
    ctx.output(op, ctx.builder.add("Det", ctx.input(op, "Input")))


@converts("inverse")
def inverse(op: BridgeOp, ctx: Context) -> None:
    """inverse → Inverse of ONNX Runtime's domain com.microsoft."""
    if op["Input"].dtype is DType.BFLOAT16:
        raise Declined(f"Input is {op['Input']}; ONNX Runtime's Inverse takes no bfloat16")
    ctx.output(op, ctx.builder.add("Inverse", ctx.input(op, "Input"), domain="com.microsoft"))


@converts("cos_sim")
def cos_sim(op: BridgeOp, ctx: Context) -> None:
    """cos_sim → ReduceSum(X · Y) / (ReduceL2(X) · ReduceL2(Y)) for each row of matrices."""
    x, y, b = ctx.input(op, "X"), ctx.input(op, "Y"), ctx.builder
    if op["X"].rank != 2 or op["Y"].rank != 2:
        raise Declined(f"X and Y must be matrices, got {op['X']} and {op['Y']}")
    lengths = [_length(b, each) for each in (x, y)]
    products = b.add("ReduceSum", b.add("Mul", x, y), b.ints(1), keepdims=1)
    for slot, length in zip(("XNorm", "YNorm"), lengths, strict=True):
        if op.node.outputs.get(slot) and op.writes(slot):
            ctx.output(op, length, slot)
    ctx.output(op, b.add("Div", products, b.add("Mul", *lengths)), "Out")


def _length(b: Builder, x: Tensor) -> Tensor:
    return b.add("ReduceL2", x, b.ints(1), keepdims=1)
