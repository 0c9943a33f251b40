"""gather, scatter, lookup_table, set_value, … → Gather, GatherND, ScatterND, … (ONNX opset 21).

Axes are known, and so are all sizes and bounds of set_value.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import require_dims, require_integer, require_integers
from lite.ir.types import DType
from lite.ops.ranges import strided_slice_of
from lite.ops.schema import get_schema
from lite.ops.value_attrs import value_array
from lite.plugin.device import BridgeOp


def _index(ctx: Context, tensor: Tensor) -> Tensor:
    """Indices in a type that ONNX takes, int32 or int64."""
    return tensor if tensor.dtype is DType.INT32 else ctx.builder.cast(tensor, DType.INT64)


@converts("gather")
def gather(op: BridgeOp, ctx: Context) -> None:
    """gather → Gather; Index of two axes is flattened."""
    index = _index(ctx, ctx.input(op, "Index"))
    if op["Index"].rank == 2:
        index = ctx.builder.flat(index)
    axis = require_integer(op, "axis", "Axis")
    ctx.output(op, ctx.builder.add("Gather", ctx.input(op, "X"), index, axis=axis))


@converts("take")
def take(op: BridgeOp, ctx: Context) -> None:
    """take → Gather."""
    index = _index(ctx, ctx.input(op, "Index"))
    ctx.output(op, ctx.builder.add("Gather", ctx.input(op, "X"), index, axis=op.integer("axis")))


@converts("gather_nd")
def gather_nd(op: BridgeOp, ctx: Context) -> None:
    """gather_nd → GatherND."""
    if op["Index"].dims[-1] == 0:
        raise Declined(f"Index is {op['Index']}, expected vectors of at least one element")
    index = ctx.builder.cast(ctx.input(op, "Index"), DType.INT64)
    batch = op.integer("batch_dims")
    ctx.output(op, ctx.builder.add("GatherND", ctx.input(op, "X"), index, batch_dims=batch))


@converts("lookup_table_v2")
def lookup_table(op: BridgeOp, ctx: Context) -> None:
    """lookup_table_v2 → Gather of rows, with zeros for the row `padding_idx`."""
    b, ids, table = ctx.builder, _index(ctx, ctx.input(op, "Ids")), ctx.input(op, "W")
    rows = b.add("Gather", table, ids, axis=0)
    padding = op.integer("padding_idx")
    if padding != -1:
        is_padding = b.add("Equal", ids, b.scalar(padding, ids.dtype), dtype=DType.BOOL)
        zero = b.scalar(0.0, rows.dtype)
        rows = b.add("Where", b.unsqueeze(is_padding, -1), zero, rows, dtype=rows.dtype)
    ctx.output(op, rows)


@converts("take_along_axis")
def take_along_axis(op: BridgeOp, ctx: Context) -> None:
    """take_along_axis → GatherElements."""
    index = _index(ctx, ctx.input(op, "Index"))
    ctx.output(op, ctx.builder.add("GatherElements", ctx.input(op, "Input"), index, axis=op.integer("Axis")))


_REDUCTIONS = {"assign": "none", "add": "add", "mul": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


@converts("put_along_axis")
def put_along_axis(op: BridgeOp, ctx: Context) -> None:
    """put_along_axis → ScatterElements."""
    b, reduction = ctx.builder, _REDUCTIONS.get(op.text("Reduce"))
    if reduction is None or not (op.flag("Include_self") or reduction == "none"):
        raise Declined(f"Reduce is {op.text('Reduce')!r}, or leaves out the elements of Input")
    index, x = _index(ctx, ctx.input(op, "Index")), ctx.input(op, "Input")
    values = b.cast(ctx.input(op, "Value"), x.dtype)
    if op["Value"].dims != op["Index"].dims:
        values = b.add("Expand", values, b.sizes(index))
    ctx.output(op, b.add("ScatterElements", x, index, values, axis=op.integer("Axis"), reduction=reduction))


@converts("scatter")
def scatter(op: BridgeOp, ctx: Context) -> None:
    """scatter → ScatterND of rows, which without `overwrite` start at zero and add up."""
    b, x, updates = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Updates")
    rows = b.reshape(b.cast(ctx.input(op, "Ids"), DType.INT64), -1, 1)
    if op["Updates"].rank != op["X"].rank:
        raise Declined(f"Updates must have the rank of X, got {op['Updates']} for {op['X']}")
    if op.flag("overwrite"):
        ctx.output(op, b.add("ScatterND", x, rows, updates))
        return
    zeros = b.add("Expand", b.scalar(0, x.dtype), b.sizes(updates))
    ctx.output(op, b.add("ScatterND", b.add("ScatterND", x, rows, zeros), rows, updates, reduction="add"))


@converts("scatter_nd_add", "scatter_nd_update")
def scatter_nd(op: BridgeOp, ctx: Context) -> None:
    """scatter_nd_add, scatter_nd_update → ScatterND."""
    if op["Index"].dims[-1] == 0:
        raise Declined(f"Index is {op['Index']}, expected vectors of at least one element")
    reduction = "add" if op.op == "scatter_nd_add" else _REDUCTIONS[op.text("reduction")]
    b = ctx.builder
    index = b.cast(ctx.input(op, "Index"), DType.INT64)
    ctx.output(
        op, b.add("ScatterND", ctx.input(op, "X"), index, ctx.input(op, "Updates"), reduction=reduction)
    )


@converts("compress")
def compress(op: BridgeOp, ctx: Context) -> None:
    """compress → Compress."""
    result = ctx.builder.add(
        "Compress", ctx.input(op, "X"), ctx.input(op, "Condition"), axis=op.integer("axis")
    )
    ctx.output(op, result)


@converts("where_index")
def where_index(op: BridgeOp, ctx: Context) -> None:
    """where_index → the transpose of NonZero."""
    b = ctx.builder
    if not op["Condition"].rank:
        raise Declined(f"Condition is {op['Condition']}; ONNX's NonZero takes at least one axis")
    indices = b.add("NonZero", ctx.input(op, "Condition"), dtype=DType.INT64)
    ctx.output(op, b.add("Transpose", indices, perm=[1, 0]))


@converts("set_value")
def set_value(op: BridgeOp, ctx: Context) -> None:
    """set_value → ScatterND at every index of a slice; sizes and bounds must be known."""
    b, x = ctx.builder, ctx.input(op, "Input")
    dims = require_dims(op["Input"], "Input")
    bounds = [require_integers(op, name, f"{name.title()}TensorList") for name in ("starts", "ends", "steps")]
    ranges = [slice(None)] * len(dims)
    for axis, start, end, step in zip(op.integers("axes"), *bounds, strict=True):
        ranges[axis] = strided_slice_of(start, end, step, dims[axis])
    indices = np.stack(np.meshgrid(*(np.arange(size) for size in dims), indexing="ij"), axis=-1)[
        tuple(ranges)
    ]
    target = indices.squeeze(axis=tuple(op.integers("decrease_axes")))
    for axis in op.integers("none_axes"):
        target = np.expand_dims(target, axis)
    value = ctx.optional(op, "ValueTensor")
    if value is None:
        value = b.array(value_array(op.op, get_schema(op.op).attr_values(op.node.attrs)))
    if not target.size:
        raise Declined(f"the slice of Input, {op['Input']}, is empty")
    values = b.add("Expand", b.cast(value, x.dtype), b.ints(*target.shape[:-1]))
    ctx.output(op, b.add("ScatterND", x, b.array(target.astype(np.int64)), values))
