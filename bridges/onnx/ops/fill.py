"""Tensors from numbers and shapes → ConstantOfShape, Range, Expand, EyeLike, Trilu, … (ONNX opset 21)."""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import ONNX_CODES, Attributes, Tensor
from lite.emission.onnx.shape_inputs import (
    flat_int64,
    integer_tensor,
    require_integer,
    scalar_int64,
)
from lite.ir.types import DType
from lite.ops.schema import get_schema
from lite.ops.value_attrs import constant_value, value_array
from lite.plugin.device import BridgeOp


def _filled(ctx: Context, shape: Tensor, value: float, dtype: DType) -> Tensor:
    return ctx.builder.add("ConstantOfShape", shape, dtype=dtype, value=np.array([value], dtype.numpy))


@converts("fill_constant")
def fill_constant(op: BridgeOp, ctx: Context) -> None:
    """fill_constant → ConstantOfShape, or Expand of ValueTensor."""
    b, dtype, tensor = ctx.builder, DType.from_code(op.integer("dtype")), ctx.optional(op, "ValueTensor")
    shape = integer_tensor(op, ctx, "shape", "ShapeTensor", "ShapeTensorList")
    if tensor is not None:
        value = b.rank_0(b.cast(tensor, dtype))
        ctx.output(op, b.add("Expand", value, shape))
        return
    ctx.output(op, _filled(ctx, shape, constant_value(op.real("value"), op.text("str_value"), dtype), dtype))


@converts("fill_any_like")
def fill_any_like(op: BridgeOp, ctx: Context) -> None:
    """fill_any_like → ConstantOfShape of the shape of X."""
    dtype = op.dtype("dtype", op["X"].dtype)
    shape = ctx.builder.sizes(ctx.input(op, "X"))
    ctx.output(op, _filled(ctx, shape, constant_value(op.real("value"), "", dtype), dtype))


@converts("fill_constant_batch_size_like")
def fill_constant_batch_size_like(op: BridgeOp, ctx: Context) -> None:
    """fill_constant_batch_size_like → ConstantOfShape with one size of Input, which has no LoD."""
    b, dtype = ctx.builder, DType.from_code(op.integer("dtype"))
    sizes = op.integers("shape")
    axis = op.integer("output_dim_idx") % len(sizes)
    size = b.size(ctx.input(op, "Input"), op["Input"].axis(op.integer("input_dim_idx")))
    shape = b.add("Concat", b.ints(*sizes[:axis]), size, b.ints(*sizes[axis + 1 :]), axis=0)
    ctx.output(op, _filled(ctx, shape, constant_value(op.real("value"), op.text("str_value"), dtype), dtype))


@converts("empty")
def empty(op: BridgeOp, ctx: Context) -> None:
    """empty → ConstantOfShape of zeros."""
    shape = integer_tensor(op, ctx, "shape", "ShapeTensorList", "ShapeTensor")
    ctx.output(op, _filled(ctx, shape, 0, DType.from_code(op.integer("dtype"))))


@converts("assign_value")
def assign_value(op: BridgeOp, ctx: Context) -> None:
    """assign_value → a constant."""
    array = value_array(op.op, get_schema(op.op).attr_values(op.node.attrs))
    ctx.output(op, ctx.builder.add("Identity", ctx.builder.array(array)))


@converts("range")
def range_(op: BridgeOp, ctx: Context) -> None:
    """range → Range, without Paddle's check that the step leads to the end."""
    b = ctx.builder
    start = ctx.input(op, "Start")
    bounds = [b.rank_0(b.cast(ctx.input(op, slot), start.dtype)) for slot in ("Start", "End", "Step")]
    ctx.output(op, b.add("Range", *bounds))


@converts("linspace")
def linspace(op: BridgeOp, ctx: Context) -> None:
    """linspace → Start + (Stop - Start) · n / (Num - 1), computed in float64; Num must be constant."""
    numbers = op.values("Num")
    if numbers is None:
        raise Declined("Num must be constant")
    b, dtype = ctx.builder, op.dtype("dtype", op["Start"].dtype)
    start, stop = (b.flat(b.cast(ctx.input(op, slot), DType.FLOAT64)) for slot in ("Start", "Stop"))
    steps = b.array(np.linspace(0, 1, numbers[0]))
    result = b.add("Add", start, b.add("Mul", b.add("Sub", stop, start), steps))
    ctx.output(op, b.cast(result, dtype))


@converts("eye_like")
def eye_like(op: BridgeOp, ctx: Context) -> None:
    """eye_like → EyeLike."""
    dtype = op.dtype("dtype", op["X"].dtype)
    code: Attributes = {"dtype": ONNX_CODES[dtype], "k": op.integer("diagonal")}
    ctx.output(op, ctx.builder.add_all("EyeLike", [ctx.input(op, "X")], [dtype], **code)[0])


@converts("tril_triu")
def tril_triu(op: BridgeOp, ctx: Context) -> None:
    """tril_triu → Trilu."""
    b, tensor = ctx.builder, ctx.optional(op, "DiagonalTensor")
    diagonal = b.scalar(op.integer("diagonal"), DType.INT64)
    if tensor is not None:
        diagonal = scalar_int64(ctx, tensor)
    ctx.output(op, b.add("Trilu", ctx.input(op, "X"), diagonal, upper=int(not op.flag("lower"))))


@converts("meshgrid")
def meshgrid(op: BridgeOp, ctx: Context) -> None:
    """meshgrid → Expand of each vector along its own axis."""
    b, vectors = ctx.builder, [ctx.builder.flat(tensor) for tensor in ctx.inputs(op, "X")]
    count = len(vectors)
    sizes = [b.sizes(each) for each in vectors]
    shape = sizes[0] if count == 1 else b.add("Concat", *sizes, axis=0)
    grids = [
        b.add("Expand", b.reshape(each, -1, *[1] * (count - 1 - n)), shape) for n, each in enumerate(vectors)
    ]
    ctx.outputs(op, "Out", grids)


@converts("one_hot_v2")
def one_hot(op: BridgeOp, ctx: Context) -> None:
    """one_hot_v2 → Equal with 0, 1, …, so that a number out of range gives zeros."""
    b, x = ctx.builder, ctx.input(op, "X")
    depth_tensor = ctx.optional(op, "depth_tensor")
    if depth_tensor is None or op.constant("depth_tensor") is not None:
        classes = b.array(np.arange(require_integer(op, "depth", "depth_tensor"), dtype=x.dtype.numpy))
    else:
        depth = b.rank_0(b.cast(depth_tensor, x.dtype))
        classes = b.add("Range", b.scalar(0, x.dtype), depth, b.scalar(1, x.dtype))
    hits = b.add("Equal", b.unsqueeze(x, -1), classes, dtype=DType.BOOL)
    ctx.output(op, b.cast(hits, DType.from_code(op.integer("dtype"))))


@converts("one_hot_values")
def one_hot_values(op: BridgeOp, ctx: Context) -> None:
    """one_hot_values → OneHot."""
    b, tensor = ctx.builder, ctx.optional(op, "Depth")
    depth = (
        b.scalar(op.integer("depth"), DType.INT64) if tensor is None else flat_int64(ctx, tensor, op["Depth"])
    )
    values = ctx.input(op, "Values")
    x = b.cast(ctx.input(op, "X"), DType.INT64)
    ctx.output(op, b.add("OneHot", x, depth, values, dtype=values.dtype, axis=op.integer("axis")))
