"""Normalisations."""

from __future__ import annotations

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Builder, Tensor
from lite.bridges.onnxruntime.ops.reduce import sum_of_squares
from lite.bridges.onnxruntime.ops.sizes import known_dim, known_dims
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _images(op: BridgeOp, ctx: Context, layout: str) -> Tensor:
    rank = op["X"].rank
    x = ctx.input(op, "X")
    last = is_channel_last(layout) and rank > 2
    return ctx.builder.transpose(x, [0, rank - 1, *range(1, rank - 1)]) if last else x


def _as_given(op: BridgeOp, ctx: Context, layout: str, image: Tensor) -> Tensor:
    rank = op["X"].rank
    last = is_channel_last(layout) and rank > 2
    return ctx.builder.transpose(image, [0, *range(2, rank), 1]) if last else image


def _filled(op: BridgeOp, ctx: Context, slot: str, value: float, size: int, dtype: DType) -> Tensor:
    """A vector that may be absent: then it is made of `value`."""
    given = ctx.optional(op, slot)
    return ctx.builder.array(np.full(size, value, dtype.numpy)) if given is None else ctx.builder.flat(given)


@converts("batch_norm")
def batch_norm(op: BridgeOp, ctx: Context) -> None:
    """BatchNormalization with the statistics that were learnt."""
    if not (op.flag("is_test") or op.flag("use_global_stats")):
        raise CompileError("it is in training mode: statistics are taken of the batch")
    layout = op.text("data_layout")
    x, (count,) = _images(op, ctx, layout), known_dims(op["Mean"], "Mean")
    mean, variance = ctx.input(op, "Mean"), ctx.input(op, "Variance")
    scale, bias = (
        _filled(op, ctx, slot, value, count, mean.dtype) for slot, value in (("Scale", 1.0), ("Bias", 0.0))
    )
    result = ctx.builder.add("BatchNormalization", x, scale, bias, mean, variance, epsilon=op.real("epsilon"))
    ctx.output(op, _as_given(op, ctx, layout, result), "Y")


@converts("layer_norm")
def layer_norm(op: BridgeOp, ctx: Context) -> None:
    """LayerNormalization; scale and bias get the shape of what is normalised."""
    x, axis = ctx.input(op, "X"), op.integer("begin_norm_axis")
    scale = _over_axes(op, ctx, "Scale", axis)
    if scale is None:
        sizes = known_dims(Meta(op["X"].dtype, op["X"].dims[axis:]), "what is normalised")
        scale = ctx.builder.array(np.ones(sizes, x.dtype.numpy))
    bias = _over_axes(op, ctx, "Bias", axis)
    result = ctx.builder.add("LayerNormalization", x, scale, bias, axis=axis, epsilon=op.real("epsilon"))
    ctx.output(op, result, "Y")


def _over_axes(op: BridgeOp, ctx: Context, slot: str, axis: int) -> Tensor | None:
    given = ctx.optional(op, slot)
    if given is None or op["X"].rank - axis == 1 == op[slot].rank:
        return given
    return ctx.builder.reshape(
        given, *known_dims(Meta(op["X"].dtype, op["X"].dims[axis:]), "what is normalised")
    )


@converts("rms_norm")
def rms_norm(op: BridgeOp, ctx: Context) -> None:
    """X / √(mean of X² + epsilon) · Scale."""
    x, b, first = ctx.input(op, "X"), ctx.builder, op["X"].axis(op.integer("begin_norm_axis"))
    wide = b.cast(x, DType.FLOAT32) if x.dtype is DType.FLOAT16 else x
    axes = b.ints(*range(first, op["X"].rank))
    mean = b.add("ReduceMean", b.add("Mul", wide, wide), axes, keepdims=1)
    root = b.add("Sqrt", b.add("Add", mean, b.scalar(op.real("epsilon"), wide.dtype)))
    result = b.cast(b.add("Div", wide, root), x.dtype)
    scale = ctx.optional(op, "Scale")
    ctx.output(op, result if scale is None else b.add("Mul", result, scale))


@converts("group_norm")
def group_norm(op: BridgeOp, ctx: Context) -> None:
    """GroupNormalization."""
    layout = op.text("data_layout")
    x, groups = _images(op, ctx, layout), op.integer("groups")
    axis = op["X"].rank - 1 if is_channel_last(layout) else 1
    count = known_dim(op["X"], axis, "X")
    scale = _filled(op, ctx, "Scale", 1.0, count, x.dtype)
    bias = _filled(op, ctx, "Bias", 0.0, count, x.dtype)
    if op["X"].rank < 3:
        raise CompileError(f"X must have at least 3 axes, got {op['X']}")
    result = ctx.builder.add(
        "GroupNormalization", x, scale, bias, num_groups=groups, epsilon=op.real("epsilon")
    )
    ctx.output(op, _as_given(op, ctx, layout, result), "Y")


@converts("instance_norm")
def instance_norm(op: BridgeOp, ctx: Context) -> None:
    """InstanceNormalization."""
    if op.text("activation"):
        raise CompileError("it is a fused normalisation, with an activation")
    x = ctx.input(op, "X")
    if op["X"].rank < 3:
        raise CompileError(f"X must have at least 3 axes, got {op['X']}")
    count = known_dim(op["X"], 1, "X")
    scale = _filled(op, ctx, "Scale", 1.0, count, x.dtype)
    bias = _filled(op, ctx, "Bias", 0.0, count, x.dtype)
    result = ctx.builder.add("InstanceNormalization", x, scale, bias, epsilon=op.real("epsilon"))
    ctx.output(op, result, "Y")


@converts("lrn")
def lrn(op: BridgeOp, ctx: Context) -> None:
    """LRN, whose alpha is divided by the number of channels, and whose windows are odd."""
    size, layout = op.integer("n"), op.text("data_format")
    if size % 2 == 0:
        raise CompileError(f"n must be odd, got {size}")
    x = _images(op, ctx, layout)
    result = ctx.builder.add(
        "LRN", x, size=size, alpha=op.real("alpha") * size, beta=op.real("beta"), bias=op.real("k")
    )
    ctx.output(op, _as_given(op, ctx, layout, result), "Out")


@converts("norm")
def norm(op: BridgeOp, ctx: Context) -> None:
    """X / √(Σ X² + epsilon) along an axis."""
    x, b = ctx.input(op, "X"), ctx.builder
    squares = sum_of_squares(b, x, op.integer("axis"))
    lengths = b.add("Sqrt", b.add("Add", squares, b.scalar(op.real("epsilon"), x.dtype)))
    if op.writes("Norm"):
        ctx.output(op, lengths, "Norm")
    ctx.output(op, b.add("Div", x, lengths), "Out")


@converts("lp_normalize")
def lp_normalize(op: BridgeOp, ctx: Context) -> None:
    """LpNormalization; a vector of zeros stays one."""
    x, b, axis = ctx.input(op, "X"), ctx.builder, op.integer("axis")
    lengths = b.add(f"ReduceL{op.integer('porder')}", x, b.ints(axis), keepdims=1)
    is_zero = b.add("Equal", lengths, b.scalar(0.0, x.dtype), dtype=DType.BOOL)
    lengths = b.add("Where", is_zero, b.scalar(1.0, x.dtype), lengths, dtype=x.dtype)
    ctx.output(op, b.add("Div", x, lengths))


@converts("affine_channel")
def affine_channel(op: BridgeOp, ctx: Context) -> None:
    """X · Scale + Bias by channel."""
    x, b = ctx.input(op, "X"), ctx.builder
    tail = 0 if is_channel_last(op.text("data_layout")) else op["X"].rank - 2
    scale, bias = (b.reshape(ctx.input(op, slot), -1, *[1] * tail) for slot in ("Scale", "Bias"))
    ctx.output(op, b.add("Add", b.add("Mul", x, scale), bias))


@converts("cos_sim")
def cos_sim(op: BridgeOp, ctx: Context) -> None:
    """The cosine of the angle between rows."""
    x, y, b = ctx.input(op, "X"), ctx.input(op, "Y"), ctx.builder
    if op["X"].rank != 2 or op["Y"].rank != 2:
        raise CompileError(f"X and Y must be matrices, got {op['X']} and {op['Y']}")
    lengths = [_length(b, each) for each in (x, y)]
    products = b.add("ReduceSum", b.add("Mul", x, y), b.ints(1), keepdims=1)
    for slot, length in zip(("XNorm", "YNorm"), lengths, strict=True):
        if op.node.outputs.get(slot) and op.writes(slot):
            ctx.output(op, length, slot)
    ctx.output(op, b.add("Div", products, b.add("Mul", *lengths)), "Out")


def _length(b: Builder, x: Tensor) -> Tensor:
    return b.add("ReduceL2", x, b.ints(1), keepdims=1)


@converts("softmax", "log_softmax", "hardmax")
def softmax(op: BridgeOp, ctx: Context) -> None:
    """Softmax, LogSoftmax or Hardmax along an axis."""
    op_type = {"softmax": "Softmax", "log_softmax": "LogSoftmax", "hardmax": "Hardmax"}[op.op]
    x, b = ctx.input(op, "X"), ctx.builder
    if op["X"].rank:
        ctx.output(op, b.add(op_type, x, axis=op.integer("axis")))
        return
    ctx.output(op, b.reshape(b.add(op_type, b.flat(x), axis=0)))
