"""Elements picked by index, and put back by index."""

from __future__ import annotations

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.ops.sizes import known_number
from lite.errors import CompileError
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


def _index(ctx: Context, tensor: Tensor) -> Tensor:
    """An index of a type that ONNX takes."""
    return tensor if tensor.dtype is DType.INT32 else ctx.builder.cast(tensor, DType.INT64)


@converts("gather")
def gather(op: BridgeOp, ctx: Context) -> None:
    """Gather; an index of two axes is taken as flat."""
    index = _index(ctx, ctx.input(op, "Index"))
    if op["Index"].rank == 2:
        index = ctx.builder.flat(index)
    axis = known_number(op, "axis", "Axis")
    ctx.output(op, ctx.builder.add("Gather", ctx.input(op, "X"), index, axis=axis))


@converts("index_select", "take")
def take(op: BridgeOp, ctx: Context) -> None:
    """Gather."""
    axis = op.integer("dim" if op.op == "index_select" else "axis")
    index = _index(ctx, ctx.input(op, "Index"))
    ctx.output(op, ctx.builder.add("Gather", ctx.input(op, "X"), index, axis=axis))


@converts("gather_nd")
def gather_nd(op: BridgeOp, ctx: Context) -> None:
    """GatherND."""
    if op["Index"].dims[-1] == 0:
        raise CompileError(f"the vectors of Index must have elements, got {op['Index']}")
    index = ctx.builder.cast(ctx.input(op, "Index"), DType.INT64)
    batch = op.integer("batch_dims")
    ctx.output(op, ctx.builder.add("GatherND", ctx.input(op, "X"), index, batch_dims=batch))


@converts("lookup_table", "lookup_table_v2")
def lookup_table(op: BridgeOp, ctx: Context) -> None:
    """Gather of rows; the row of `padding_idx` is zeros."""
    b, ids, table = ctx.builder, _index(ctx, ctx.input(op, "Ids")), ctx.input(op, "W")
    if op.op == "lookup_table":
        ids = b.squeeze(ids, -1)
    rows = b.add("Gather", table, ids, axis=0)
    padding = op.integer("padding_idx")
    if padding != -1:
        is_padding = b.add("Equal", ids, b.scalar(padding, ids.dtype), dtype=DType.BOOL)
        zero = b.scalar(0.0, rows.dtype)
        rows = b.add("Where", b.unsqueeze(is_padding, -1), zero, rows, dtype=rows.dtype)
    ctx.output(op, rows)


@converts("take_along_axis")
def take_along_axis(op: BridgeOp, ctx: Context) -> None:
    """GatherElements."""
    index = _index(ctx, ctx.input(op, "Index"))
    ctx.output(op, ctx.builder.add("GatherElements", ctx.input(op, "Input"), index, axis=op.integer("Axis")))


_REDUCTIONS = {"assign": "none", "add": "add", "mul": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


@converts("put_along_axis")
def put_along_axis(op: BridgeOp, ctx: Context) -> None:
    """ScatterElements."""
    b = ctx.builder
    index, x = _index(ctx, ctx.input(op, "Index")), ctx.input(op, "Input")
    values = b.cast(ctx.input(op, "Value"), x.dtype)
    if op["Value"].dims != op["Index"].dims:
        values = b.add("Expand", values, b.sizes(index))
    reduction = _REDUCTIONS[op.text("Reduce")]
    ctx.output(op, b.add("ScatterElements", x, index, values, axis=op.integer("Axis"), reduction=reduction))


@converts("scatter")
def scatter(op: BridgeOp, ctx: Context) -> None:
    """ScatterND of rows; without `overwrite` they start from zero and add up."""
    b, x, updates = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Updates")
    rows = b.reshape(b.cast(ctx.input(op, "Ids"), DType.INT64), -1, 1)
    if op["Updates"].rank != op["X"].rank:
        raise CompileError(f"Updates must have the axes of X, got {op['Updates']} for {op['X']}")
    if op.flag("overwrite"):
        ctx.output(op, b.add("ScatterND", x, rows, updates))
        return
    zeros = b.add("Expand", b.scalar(0, x.dtype), b.sizes(updates))
    ctx.output(op, b.add("ScatterND", b.add("ScatterND", x, rows, zeros), rows, updates, reduction="add"))


@converts("scatter_nd_add", "scatter_nd_update")
def scatter_nd(op: BridgeOp, ctx: Context) -> None:
    """ScatterND."""
    if op["Index"].dims[-1] == 0:
        raise CompileError(f"the vectors of Index must have elements, got {op['Index']}")
    reduction = "add" if op.op == "scatter_nd_add" else _REDUCTIONS[op.text("reduction")]
    b = ctx.builder
    index = b.cast(ctx.input(op, "Index"), DType.INT64)
    ctx.output(
        op, b.add("ScatterND", ctx.input(op, "X"), index, ctx.input(op, "Updates"), reduction=reduction)
    )


@converts("compress")
def compress(op: BridgeOp, ctx: Context) -> None:
    """Compress."""
    result = ctx.builder.add(
        "Compress", ctx.input(op, "X"), ctx.input(op, "Condition"), axis=op.integer("axis")
    )
    ctx.output(op, result)


@converts("where_index")
def where_index(op: BridgeOp, ctx: Context) -> None:
    """The transpose of NonZero."""
    b = ctx.builder
    found = b.add("NonZero", ctx.input(op, "Condition"), dtype=DType.INT64)
    ctx.output(op, b.add("Transpose", found, perm=[1, 0]))
