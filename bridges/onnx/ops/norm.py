"""batch_norm, layer_norm, group_norm, … → BatchNormalization, LayerNormalization, … (ONNX opset 21).

X float32[N, C, …], or channels last.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import require_dim, require_dims
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _filled(op: BridgeOp, ctx: Context, slot: str, value: float, size: int, dtype: DType) -> Tensor:
    """The vector float32[size] of a slot, or one filled with `value` where the slot is empty."""
    vector = ctx.optional(op, slot)
    return (
        ctx.builder.array(np.full(size, value, dtype.numpy)) if vector is None else ctx.builder.flat(vector)
    )


@converts("batch_norm")
def batch_norm(op: BridgeOp, ctx: Context) -> None:
    """batch_norm → BatchNormalization with stored statistics."""
    if not (op.flag("is_test") or op.flag("use_global_stats")):
        raise Declined("it computes the statistics of its batch (is_test=false); ONNX takes stored ones")
    if op.flag("trainable_statistics") and not op.flag("use_global_stats"):
        raise Declined("trainable_statistics is set: it computes those of its batch, ONNX takes stored ones")
    b, rank = ctx.builder, op["X"].rank
    last = is_channel_last(op.text("data_layout")) and rank > 2
    x, (count,) = b.channels_first(ctx.input(op, "X"), rank, last=last), require_dims(op["Mean"], "Mean")
    mean, variance = ctx.input(op, "Mean"), ctx.input(op, "Variance")
    scale, bias = (
        _filled(op, ctx, slot, value, count, mean.dtype) for slot, value in (("Scale", 1.0), ("Bias", 0.0))
    )
    result = b.add("BatchNormalization", x, scale, bias, mean, variance, epsilon=op.real("epsilon"))
    ctx.output(op, b.channels_restored(result, rank, last=last), "Y")


@converts("layer_norm")
def layer_norm(op: BridgeOp, ctx: Context) -> None:
    """layer_norm → LayerNormalization, with Scale and Bias in the shape of the normalised axes."""
    x, axis = ctx.input(op, "X"), op.integer("begin_norm_axis")
    scale = _over_axes(op, ctx, "Scale", axis)
    if scale is None:
        sizes = require_dims(Meta(op["X"].dtype, op["X"].dims[axis:]), "the normalised axes")
        scale = ctx.builder.array(np.ones(sizes, x.dtype.numpy))
    bias = _over_axes(op, ctx, "Bias", axis)
    result = ctx.builder.add("LayerNormalization", x, scale, bias, axis=axis, epsilon=op.real("epsilon"))
    ctx.output(op, result, "Y")


def _over_axes(op: BridgeOp, ctx: Context, slot: str, axis: int) -> Tensor | None:
    vector = ctx.optional(op, slot)
    if vector is None or op["X"].rank - axis == 1 == op[slot].rank:
        return vector
    return ctx.builder.reshape(
        vector, *require_dims(Meta(op["X"].dtype, op["X"].dims[axis:]), "the normalised axes")
    )


@converts("rms_norm")
def rms_norm(op: BridgeOp, ctx: Context) -> None:
    """rms_norm → X / √(ReduceMean(X²) + epsilon) · Scale, float16 in float32."""
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
    """group_norm → GroupNormalization; needs the number of channels."""
    b, rank = ctx.builder, op["X"].rank
    last = is_channel_last(op.text("data_layout")) and rank > 2
    x, groups = b.channels_first(ctx.input(op, "X"), rank, last=last), op.integer("groups")
    axis = rank - 1 if is_channel_last(op.text("data_layout")) else 1
    count = require_dim(op["X"], axis, "X")
    scale = _filled(op, ctx, "Scale", 1.0, count, x.dtype)
    bias = _filled(op, ctx, "Bias", 0.0, count, x.dtype)
    if rank < 3:
        raise Declined(f"X must have at least 3 axes, got {op['X']}")
    result = b.add("GroupNormalization", x, scale, bias, num_groups=groups, epsilon=op.real("epsilon"))
    ctx.output(op, b.channels_restored(result, rank, last=last), "Y")


@converts("instance_norm")
def instance_norm(op: BridgeOp, ctx: Context) -> None:
    """instance_norm → InstanceNormalization; needs the number of channels."""
    if op.text("activation"):
        raise Declined("an activation is fused into it")
    x = ctx.input(op, "X")
    if op["X"].rank < 3:
        raise Declined(f"X must have at least 3 axes, got {op['X']}")
    count = require_dim(op["X"], 1, "X")
    scale = _filled(op, ctx, "Scale", 1.0, count, x.dtype)
    bias = _filled(op, ctx, "Bias", 0.0, count, x.dtype)
    result = ctx.builder.add("InstanceNormalization", x, scale, bias, epsilon=op.real("epsilon"))
    ctx.output(op, result, "Y")


@converts("affine_channel")
def affine_channel(op: BridgeOp, ctx: Context) -> None:
    """affine_channel → X · Scale + Bias, one number per channel."""
    x, b = ctx.input(op, "X"), ctx.builder
    tail = 0 if is_channel_last(op.text("data_layout")) else op["X"].rank - 2
    scale, bias = (b.reshape(ctx.input(op, slot), -1, *[1] * tail) for slot in ("Scale", "Bias"))
    ctx.output(op, b.add("Add", b.add("Mul", x, scale), bias))
