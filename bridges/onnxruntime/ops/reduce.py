"""Reductions over axes, and where the extremes are."""

from __future__ import annotations

from lite.bridges.onnxruntime.bridging import Context, Convert, converts
from lite.bridges.onnxruntime.builder import Builder, Tensor
from lite.bridges.onnxruntime.ops.sizes import known_dims, numbers, vector
from lite.errors import CompileError
from lite.ir.types import DType
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
        wanted = op.dtype("out_dtype", x.dtype)
        if op_type == "ReduceMean" and not (x.dtype.is_float and wanted.is_float):
            raise CompileError(f"X must be floating point, got {op['X']}: means of integers differ")
        if op_type in ("ReduceSum", "ReduceProd", "ReduceMean"):
            x = b.cast(x, wanted)
        if x.dtype is DType.BOOL:
            raise CompileError(f"X must be numbers, got {op['X']}")
        ctx.output(op, b.cast(reduced(op, ctx, op_type, x), wanted))

    return convert


for _name, _op_type in _TABLE.items():
    converts(_name)(_reduction(_op_type))


def reduced(op: BridgeOp, ctx: Context, op_type: str, x: Tensor) -> Tensor:
    """A reduction over the axes that the op says; those of size 0 are left to the host."""
    sums = ("ReduceSum", "ReduceProd")
    if op_type not in sums and op["X"].shape is not None and 0 in op["X"].dims:
        raise CompileError(f"X has no elements: {op['X']}")
    if not (op["X"].shape is None or op["X"].rank):
        # Of one number there is nothing to reduce; the sum of its exponents' logarithm is itself.
        return ctx.builder.add("Identity", x)
    axes = None if op.flag("reduce_all") else vector(op, ctx, "dim", "AxisTensor")
    if numbers(op, "dim", "AxisTensor") == []:
        axes = None
    return ctx.builder.add(op_type, x, axes, keepdims=int(op.flag("keep_dim")))


@converts("reduce_all", "reduce_any")
def all_or_any(op: BridgeOp, ctx: Context) -> None:
    """ReduceMin or ReduceMax of zeros and ones."""
    b = ctx.builder
    x = b.cast(ctx.input(op, "X"), DType.UINT8)
    found = reduced(op, ctx, "ReduceMin" if op.op == "reduce_all" else "ReduceMax", x)
    ctx.output(op, b.cast(b.cast(found, DType.BOOL), op.dtype("out_dtype", DType.BOOL)))


@converts("mean")
def mean(op: BridgeOp, ctx: Context) -> None:
    """ReduceMean over all axes."""
    if op["X"].shape is not None and 0 in op["X"].dims:
        raise CompileError(f"X has no elements: {op['X']}")
    ctx.output(op, ctx.builder.add("ReduceMean", ctx.input(op, "X"), keepdims=0))


@converts("arg_max", "arg_min")
def arg_extreme(op: BridgeOp, ctx: Context) -> None:
    """ArgMax or ArgMin, of the flattened tensor where the op says so."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    if op["X"].shape is not None and 0 in op["X"].dims:
        raise CompileError(f"X has no elements: {op['X']}")
    keep = int(op.flag("keepdims"))
    axis = op.integer("axis")
    whole = op.flag("flatten") or not rank
    op_type = "ArgMax" if op.op == "arg_max" else "ArgMin"
    found = b.add(
        op_type,
        b.flat(x) if whole else x,
        dtype=DType.INT64,
        axis=0 if whole else axis,
        keepdims=0 if whole else keep,
        select_last_index=int(op.flag("select_last_index")),
    )
    if whole and keep:
        found = b.reshape(found, *[1] * rank)
    ctx.output(op, b.cast(found, op.dtype("dtype", DType.INT64)))


@converts("p_norm")
def p_norm(op: BridgeOp, ctx: Context) -> None:
    """(Σ |X|^p)^(1/p), the largest or least |X|, or how many are not 0."""
    x, b, order = ctx.input(op, "X"), ctx.builder, op.real("porder")
    axes = None if op.flag("asvector") else b.ints(op.integer("axis"))
    keep = int(op.flag("keepdim"))
    lengths = b.add("Abs", x)
    known_dims(op["X"], "X")
    if 0 in op["X"].dims or not op["X"].rank:
        raise CompileError(f"X must have an axis, and elements, got {op['X']}")
    if order == float("inf"):
        result = b.add("ReduceMax", lengths, axes, keepdims=keep)
    elif order == float("-inf"):
        result = b.add("ReduceMin", lengths, axes, keepdims=keep)
    elif order == 0:
        is_zero = b.add("Equal", x, b.scalar(0.0, x.dtype), dtype=DType.BOOL)
        others = b.cast(b.add("Not", is_zero), x.dtype)
        result = b.add("ReduceSum", others, axes, keepdims=keep)
    elif order in (1.0, 2.0):
        result = b.add(f"ReduceL{int(order)}", x, axes, keepdims=keep)
    else:
        powers = b.add("Pow", lengths, b.scalar(order, x.dtype))
        result = b.add("Pow", b.add("ReduceSum", powers, axes, keepdims=keep), b.scalar(1 / order, x.dtype))
    ctx.output(op, result)


def sum_of_squares(b: Builder, x: Tensor, axis: int) -> Tensor:
    """Σ X² along an axis, which stays."""
    return b.add("ReduceSumSquare", x, b.ints(axis), keepdims=1)
