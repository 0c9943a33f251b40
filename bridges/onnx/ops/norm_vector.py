"""softmax, lrn, norm, lp_normalize, p_norm → Softmax, LRN, ReduceL2, … (ONNX opset 21).

lrn takes an odd n; p_norm needs all sizes.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.shape_inputs import require_dims
from lite.ir.types import DType
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


@converts("softmax", "log_softmax", "hardmax")
def softmax(op: BridgeOp, ctx: Context) -> None:
    """softmax, log_softmax, hardmax → Softmax, LogSoftmax, Hardmax."""
    op_type = {"softmax": "Softmax", "log_softmax": "LogSoftmax", "hardmax": "Hardmax"}[op.op]
    x, b = ctx.input(op, "X"), ctx.builder
    if op["X"].rank:
        ctx.output(op, b.add(op_type, x, axis=op.integer("axis")))
        return
    ctx.output(op, b.reshape(b.add(op_type, b.flat(x), axis=0)))


@converts("lrn")
def lrn(op: BridgeOp, ctx: Context) -> None:
    """lrn → LRN, which divides alpha by n, and takes an odd n."""
    b, rank, size = ctx.builder, op["X"].rank, op.integer("n")
    last = is_channel_last(op.text("data_format")) and rank > 2
    if size % 2 == 0:
        raise Declined(f"n is {size}, expected an odd number")
    x = b.channels_first(ctx.input(op, "X"), rank, last=last)
    result = b.add(
        "LRN", x, size=size, alpha=op.real("alpha") * size, beta=op.real("beta"), bias=op.real("k")
    )
    ctx.output(op, b.channels_restored(result, rank, last=last), "Out")


@converts("norm")
def norm(op: BridgeOp, ctx: Context) -> None:
    """norm → X / √(ReduceSumSquare(X) + epsilon) along an axis."""
    x, b = ctx.input(op, "X"), ctx.builder
    squares = b.add("ReduceSumSquare", x, b.ints(op.integer("axis")), keepdims=1)
    lengths = b.add("Sqrt", b.add("Add", squares, b.scalar(op.real("epsilon"), x.dtype)))
    if op.writes("Norm"):
        ctx.output(op, lengths, "Norm")
    ctx.output(op, b.add("Div", x, lengths), "Out")


@converts("lp_normalize")
def lp_normalize(op: BridgeOp, ctx: Context) -> None:
    """lp_normalize → X / ReduceL1 or ReduceL2; a vector of zeros stays zeros."""
    x, b, axis = ctx.input(op, "X"), ctx.builder, op.integer("axis")
    lengths = b.add(f"ReduceL{op.integer('porder')}", x, b.ints(axis), keepdims=1)
    is_zero = b.add("Equal", lengths, b.scalar(0.0, x.dtype), dtype=DType.BOOL)
    lengths = b.add("Where", is_zero, b.scalar(1.0, x.dtype), lengths, dtype=x.dtype)
    ctx.output(op, b.add("Div", x, lengths))


@converts("p_norm")
def p_norm(op: BridgeOp, ctx: Context) -> None:
    """p_norm → (Σ |X|^p)^(1/p); the largest or least |X| for p = ±∞, the number of non-zeros for p = 0."""
    x, b, order = ctx.input(op, "X"), ctx.builder, op.real("porder")
    axes = None if op.flag("asvector") else b.ints(op.integer("axis"))
    keep = int(op.flag("keepdim"))
    magnitude = b.add("Abs", x)
    require_dims(op["X"], "X")
    if 0 in op["X"].dims or not op["X"].rank:
        raise Declined(f"X must have at least one axis and one element, got {op['X']}")
    if order == float("inf"):
        result = b.add("ReduceMax", magnitude, axes, keepdims=keep)
    elif order == float("-inf"):
        result = b.add("ReduceMin", magnitude, axes, keepdims=keep)
    elif order == 0:
        is_zero = b.add("Equal", x, b.scalar(0.0, x.dtype), dtype=DType.BOOL)
        nonzero = b.cast(b.add("Not", is_zero), x.dtype)
        result = b.add("ReduceSum", nonzero, axes, keepdims=keep)
    elif order in (1.0, 2.0):
        result = b.add(f"ReduceL{int(order)}", x, axes, keepdims=keep)
    else:
        powers = b.add("Pow", magnitude, b.scalar(order, x.dtype))
        result = b.add("Pow", b.add("ReduceSum", powers, axes, keepdims=keep), b.scalar(1 / order, x.dtype))
    ctx.output(op, result)
