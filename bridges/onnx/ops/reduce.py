"""reduce_*, logsumexp, mean → ReduceSum, ReduceMean, …; cumsum → CumSum, nll_loss (ONNX opset 21).

Means are of real numbers; only sums and products take empty tensors.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, Convert, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import (
    integer_tensor,
    known_integers,
    require_elements,
    scalar_int64,
)
from lite.ir.types import DType
from lite.ops.view import product
from lite.plugin.device import BridgeOp

_TABLE = {
    "logsumexp": "ReduceLogSumExp",
    "reduce_max": "ReduceMax",
    "reduce_mean": "ReduceMean",
    "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd",
    "reduce_sum": "ReduceSum",
}


def _reduction(op_type: str) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        x, b = ctx.input(op, "X"), ctx.builder
        dtype = op.dtype("out_dtype", x.dtype)
        if op_type == "ReduceMean" and not (x.dtype.is_float and dtype.is_float):
            raise Declined(f"X is {op['X']}, expected floats: ONNX's means of integers differ from Paddle's")
        if op_type in ("ReduceSum", "ReduceProd", "ReduceMean"):
            x = b.cast(x, dtype)
        if x.dtype is DType.BOOL:
            raise Declined(f"X is {op['X']}, expected numbers")
        ctx.output(op, b.cast(reduced(op, ctx, op_type, x), dtype))

    return convert


for _name, _op_type in _TABLE.items():
    converts(_name)(_reduction(_op_type))


def reduced(op: BridgeOp, ctx: Context, op_type: str, x: Tensor) -> Tensor:
    """A reduction over the axes of the op; declines maxima, minima and means of an empty tensor."""
    if op_type not in ("ReduceSum", "ReduceProd"):
        require_elements(op["X"], "X")
    if not (op["X"].shape is None or op["X"].rank):
        # Every reduction of a tensor of rank 0 returns the tensor, logsumexp too.
        return ctx.builder.add("Identity", x)
    axes = None if op.flag("reduce_all") else integer_tensor(op, ctx, "dim", "AxisTensor")
    if known_integers(op, "dim", "AxisTensor") == []:
        axes = None
    return ctx.builder.add(op_type, x, axes, keepdims=int(op.flag("keep_dim")))


@converts("reduce_all", "reduce_any")
def all_or_any(op: BridgeOp, ctx: Context) -> None:
    """reduce_all, reduce_any → ReduceMin, ReduceMax of zeros and ones."""
    b = ctx.builder
    x = b.cast(ctx.input(op, "X"), DType.UINT8)
    result = reduced(op, ctx, "ReduceMin" if op.op == "reduce_all" else "ReduceMax", x)
    ctx.output(op, b.cast(b.cast(result, DType.BOOL), op.dtype("out_dtype", DType.BOOL)))


@converts("mean")
def mean(op: BridgeOp, ctx: Context) -> None:
    """mean → ReduceMean over all axes."""
    require_elements(op["X"], "X")
    ctx.output(op, ctx.builder.add("ReduceMean", ctx.input(op, "X"), keepdims=0))


@converts("cumsum")
def cumsum(op: BridgeOp, ctx: Context) -> None:
    """cumsum → CumSum; with `keep_single`, a tensor of one element stays unchanged, even if exclusive."""
    b, x = ctx.builder, ctx.input(op, "X")
    flat = op.flag("flatten")
    count = product(op["X"].dims)
    if op.flag("exclusive") and op.flag("keep_single") and count is None:
        raise Declined(f"X is {op['X']}, expected known sizes: with keep_single, a single element is kept")
    if not op["X"].rank and op.flag("exclusive") and not op.flag("keep_single"):
        raise Declined(f"it is exclusive and X is {op['X']}; ONNX's CumSum needs at least one axis")
    if not op["X"].rank or (count == 1 and op.flag("keep_single")):
        ctx.output(op, b.flat(x) if flat else b.add("Identity", x))
        return
    axis_tensor = ctx.optional(op, "AxisTensor")
    if flat or axis_tensor is None:
        axis = b.scalar(0 if flat else op.integer("axis"), DType.INT64)
    else:
        axis = scalar_int64(ctx, axis_tensor)
    result = b.add(
        "CumSum",
        b.flat(x) if flat else x,
        axis,
        exclusive=int(op.flag("exclusive")),
        reverse=int(op.flag("reverse")),
    )
    ctx.output(op, result)


@converts("nll_loss")
def nll_loss(op: BridgeOp, ctx: Context) -> None:
    """nll_loss → NegativeLogLikelihoodLoss."""
    result = ctx.builder.add(
        "NegativeLogLikelihoodLoss",
        ctx.input(op, "X"),
        ctx.input(op, "Label"),
        ctx.optional(op, "Weight"),
        ignore_index=op.integer("ignore_index"),
        reduction=op.text("reduction"),
    )
    ctx.output(op, result, "Out")
