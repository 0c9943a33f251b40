"""Tensors made of numbers and shapes."""

from __future__ import annotations

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import ONNX_CODES, Attributes, Tensor
from lite.bridges.onnxruntime.ops.sizes import flat_int64, known_number, known_numbers, vector
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.defs.fill import constant_value
from lite.ops.schema import get_schema
from lite.ops.value_attrs import VALUE_ATTRS, value_array
from lite.plugin.device import BridgeOp


def _filled(ctx: Context, shape: Tensor, value: float, dtype: DType) -> Tensor:
    made = np.array([value], dtype.numpy)
    return ctx.builder.add("ConstantOfShape", shape, dtype=dtype, value=made)


@converts("fill_constant")
def fill_constant(op: BridgeOp, ctx: Context) -> None:
    """ConstantOfShape, or Expand of a value that an input gives."""
    b, dtype, given = ctx.builder, DType.from_code(op.integer("dtype")), ctx.optional(op, "ValueTensor")
    shape = vector(op, ctx, "shape", "ShapeTensor", "ShapeTensorList")
    if given is not None:
        value = b.add("Reshape", b.cast(given, dtype), b.ints())
        ctx.output(op, b.add("Expand", value, shape))
        return
    ctx.output(op, _filled(ctx, shape, constant_value(op.real("value"), op.text("str_value"), dtype), dtype))


@converts("fill_any_like")
def fill_any_like(op: BridgeOp, ctx: Context) -> None:
    """ConstantOfShape of a tensor's shape."""
    dtype = op.dtype("dtype", op["X"].dtype)
    shape = ctx.builder.sizes(ctx.input(op, "X"))
    ctx.output(op, _filled(ctx, shape, constant_value(op.real("value"), "", dtype), dtype))


@converts("fill_constant_batch_size_like")
def fill_constant_batch_size_like(op: BridgeOp, ctx: Context) -> None:
    """ConstantOfShape with one size of another tensor; an input without LoD is assumed."""
    b, dtype = ctx.builder, DType.from_code(op.integer("dtype"))
    sizes, place = op.integers("shape"), op.integer("output_dim_idx")
    place %= len(sizes)
    source = op["Input"].axis(op.integer("input_dim_idx"))
    size = b.size(ctx.input(op, "Input"), source)
    shape = b.add("Concat", b.ints(*sizes[:place]), size, b.ints(*sizes[place + 1 :]), axis=0)
    ctx.output(op, _filled(ctx, shape, constant_value(op.real("value"), op.text("str_value"), dtype), dtype))


@converts("empty")
def empty(op: BridgeOp, ctx: Context) -> None:
    """ConstantOfShape of zeros."""
    shape = vector(op, ctx, "shape", "ShapeTensorList", "ShapeTensor")
    ctx.output(op, _filled(ctx, shape, 0, DType.from_code(op.integer("dtype"))))


@converts("assign_value")
def assign_value(op: BridgeOp, ctx: Context) -> None:
    """An initializer."""
    found = get_schema(op.op).attr_values(op.node.attrs)
    lists: Attributes = {name: found[name] for name in VALUE_ATTRS}
    array = value_array(op.op, DType.from_code(op.integer("dtype")), **lists)
    ctx.output(op, ctx.builder.add("Identity", ctx.builder.array(array.reshape(op.integers("shape")))))


@converts("range")
def range_(op: BridgeOp, ctx: Context) -> None:
    """Range; Paddle's refuses a step that leads away from the end, which is not checked here."""
    b = ctx.builder
    start = ctx.input(op, "Start")
    bounds = [
        b.add("Reshape", b.cast(ctx.input(op, slot), start.dtype), b.ints())
        for slot in ("Start", "End", "Step")
    ]
    ctx.output(op, b.add("Range", *bounds))


@converts("linspace")
def linspace(op: BridgeOp, ctx: Context) -> None:
    """Start + (Stop - Start) · n / (Num - 1), in float64."""
    count = known_numbers(op, "dtype", "Num")[0]
    b, dtype = ctx.builder, op.dtype("dtype", op["Start"].dtype)
    start, stop = (b.flat(b.cast(ctx.input(op, slot), DType.FLOAT64)) for slot in ("Start", "Stop"))
    steps = b.array(np.linspace(0, 1, count))
    result = b.add("Add", start, b.add("Mul", b.add("Sub", stop, start), steps))
    ctx.output(op, b.cast(result, dtype))


@converts("eye_like")
def eye_like(op: BridgeOp, ctx: Context) -> None:
    """EyeLike."""
    dtype = op.dtype("dtype", op["X"].dtype)
    code: Attributes = {"dtype": ONNX_CODES[dtype], "k": op.integer("diagonal")}
    ctx.output(op, ctx.builder.add_all("EyeLike", [ctx.input(op, "X")], [dtype], **code)[0])


@converts("tril_triu")
def tril_triu(op: BridgeOp, ctx: Context) -> None:
    """Trilu."""
    b, given = ctx.builder, ctx.optional(op, "DiagonalTensor")
    place = b.scalar(op.integer("diagonal"), DType.INT64)
    if given is not None:
        place = b.add("Reshape", b.cast(given, DType.INT64), b.ints())
    ctx.output(op, b.add("Trilu", ctx.input(op, "X"), place, upper=int(not op.flag("lower"))))


@converts("meshgrid")
def meshgrid(op: BridgeOp, ctx: Context) -> None:
    """Each vector along its own axis, expanded to the sizes of all."""
    b, vectors = ctx.builder, [ctx.builder.flat(tensor) for tensor in ctx.inputs(op, "X")]
    count = len(vectors)
    sizes = [b.sizes(each) for each in vectors]
    shape = sizes[0] if count == 1 else b.add("Concat", *sizes, axis=0)
    grids = [
        b.add("Expand", b.reshape(each, -1, *[1] * (count - 1 - n)), shape) for n, each in enumerate(vectors)
    ]
    ctx.outputs(op, "Out", grids)


@converts("one_hot", "one_hot_v2")
def one_hot(op: BridgeOp, ctx: Context) -> None:
    """Whether each number equals each place; a number out of range is nowhere."""
    b, x = ctx.builder, ctx.input(op, "X")
    given = ctx.optional(op, "depth_tensor")
    x = b.squeeze(x, -1) if op.op == "one_hot" else x
    if given is None or op.constant("depth_tensor") is not None:
        places = b.array(np.arange(known_number(op, "depth", "depth_tensor"), dtype=x.dtype.numpy))
    else:
        depth = b.add("Reshape", b.cast(given, x.dtype), b.ints())
        places = b.add("Range", b.scalar(0, x.dtype), depth, b.scalar(1, x.dtype))
    hits = b.add("Equal", b.unsqueeze(x, -1), places, dtype=DType.BOOL)
    ctx.output(op, b.cast(hits, DType.from_code(op.integer("dtype"))))


@converts("one_hot_values")
def one_hot_values(op: BridgeOp, ctx: Context) -> None:
    """OneHot."""
    b, given = ctx.builder, ctx.optional(op, "Depth")
    depth = (
        b.scalar(op.integer("depth"), DType.INT64) if given is None else flat_int64(ctx, given, op["Depth"])
    )
    values = ctx.input(op, "Values")
    x = b.cast(ctx.input(op, "X"), DType.INT64)
    ctx.output(op, b.add("OneHot", x, depth, values, dtype=values.dtype, axis=op.integer("axis")))


@converts("sequence_mask")
def sequence_mask(op: BridgeOp, ctx: Context) -> None:
    """Whether each place is below each length."""
    b, x = ctx.builder, ctx.builder.cast(ctx.input(op, "X"), DType.INT64)
    given, most = ctx.optional(op, "MaxLenTensor"), op.integer("maxlen")
    if given is not None:
        end = b.add("Reshape", b.cast(given, DType.INT64), b.ints())
    elif most >= 0:
        end = b.scalar(most, DType.INT64)
    elif op["X"].shape is None or 0 in op["X"].dims:
        raise CompileError(f"X must have elements, got {op['X']}")
    else:
        end = b.add("ReduceMax", x, keepdims=0)
    places = b.add("Range", b.scalar(0, DType.INT64), end, b.scalar(1, DType.INT64))
    inside = b.add("Less", places, b.unsqueeze(x, -1), dtype=DType.BOOL)
    ctx.output(op, b.cast(inside, op.dtype("out_dtype", DType.INT64)), "Y")
