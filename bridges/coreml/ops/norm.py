"""batch_norm, layer_norm, group_norm, instance_norm, rms_norm, affine_channel, softmax, norm.

They become layer_norm, softmax, and reductions with sub, real_div, mul and add.  float32; batch_norm needs
constant statistics, Scale and Bias.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.builder import Builder, Tensor
from lite.bridges.coreml.ops.activation import activated, plus
from lite.emission.conversion import Declined
from lite.ir.types import Array, DType
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _require_float(op: BridgeOp) -> None:
    if op["X"].dtype is not DType.FLOAT32:
        raise Declined(f"X is {op['X']}, expected float32")


def _batch_norm(op: BridgeOp, ctx: Context) -> None:
    """batch_norm → mul and add, with one factor and one term for each channel."""
    if not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics")):
        raise Declined("it computes the statistics of its batch (is_test=false)")
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    mean, variance, scale, bias = (op.constant(slot) for slot in ("Mean", "Variance", "Scale", "Bias"))
    given = [slot for slot in ("Scale", "Bias") if op.get(slot) is not None and op.constant(slot) is None]
    if mean is None or variance is None or given:
        raise Declined("Mean, Variance, Scale or Bias are computed, expected constants")
    factor: Array = 1 / np.sqrt(variance.astype(np.float64) + op.real("epsilon"))
    factor = factor if scale is None else factor * scale
    term = -mean * factor + (0 if bias is None else bias)
    last = is_channel_last(op.text("data_layout")) or op["X"].rank < 3
    shape = (-1,) if last else (-1, *[1] * (op["X"].rank - 2))
    for operation, numbers in (("mul", factor), ("add", term)):
        x = b.add(operation, x=x, y=np.asarray(numbers, np.float32).reshape(shape))
    ctx.output(op, x, "Y")


def _affine_channel(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    last = is_channel_last(op.text("data_layout")) or op["X"].rank < 3
    for operation, slot in (("mul", "Scale"), ("add", "Bias")):
        vector = ctx.input(op, slot)
        count = math.prod(b.shape(vector))
        shape = (count,) if last else (count, *[1] * (op["X"].rank - 2))
        x = b.add(operation, x=x, y=b.reshape(vector, shape))
    ctx.output(op, x)


def _divided(b: Builder, x: Tensor, square: Tensor, epsilon: float) -> Tensor:
    return b.add("real_div", x=x, y=b.add("sqrt", x=plus(b, square, epsilon)))


def _standardised(b: Builder, x: Tensor, axes: Sequence[int], epsilon: float) -> Tensor:
    """(x − mean) / √(variance + epsilon) over these axes."""
    centred = b.add("sub", x=x, y=b.add("reduce_mean", x=x, axes=list(axes), keep_dims=True))
    variance = b.add("reduce_mean", x=b.add("square", x=centred), axes=list(axes), keep_dims=True)
    return _divided(b, centred, variance, epsilon)


def _scaled(op: BridgeOp, ctx: Context, x: Tensor, shape: Sequence[int]) -> Tensor:
    """x · Scale + Bias, both reshaped to `shape`; either may be absent."""
    b = ctx.builder
    for operation, slot in (("mul", "Scale"), ("add", "Bias")):
        vector = ctx.optional(op, slot)
        if vector is not None:
            x = b.add(operation, x=x, y=b.reshape(vector, shape))
    return x


def _layer_norm(op: BridgeOp, ctx: Context) -> None:
    """layer_norm → layer_norm if Scale and Bias are constant or absent, else elementary operations."""
    _require_float(op)
    b, x, first = ctx.builder, ctx.input(op, "X"), op.integer("begin_norm_axis")
    axes, shape = list(range(first, op["X"].rank)), b.shape(x)[first:]
    given = [slot for slot in ("Scale", "Bias") if op.get(slot) is not None]
    constants = {slot: op.constant(slot) for slot in given}
    if all(array is not None for array in constants.values()):
        names = {"Scale": "gamma", "Bias": "beta"}
        weights = {
            names[slot]: array.reshape(shape) for slot, array in constants.items() if array is not None
        }
        result = b.add("layer_norm", x=x, axes=axes, epsilon=np.float32(op.real("epsilon")), **weights)
    else:
        result = _scaled(op, ctx, _standardised(b, x, axes, op.real("epsilon")), shape)
    ctx.output(op, result, "Y")


def _rms_norm(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    axes = list(range(op["X"].axis(op.integer("begin_norm_axis")), op["X"].rank))
    square = b.add("reduce_mean", x=b.add("square", x=x), axes=axes, keep_dims=True)
    normed, scale = _divided(b, x, square, op.real("epsilon")), ctx.optional(op, "Scale")
    ctx.output(op, normed if scale is None else b.add("mul", x=normed, y=scale))


def _group_norm(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, rank, groups = ctx.builder, op["X"].rank, op.integer("groups")
    last = is_channel_last(op.text("data_layout")) and rank > 2
    x = b.channels_first(ctx.input(op, "X"), rank, last=last)
    shape = b.shape(x)
    split = b.reshape(x, (shape[0], groups, math.prod(shape[1:]) // groups))
    normed = b.reshape(_standardised(b, split, [2], op.real("epsilon")), shape)
    result = _scaled(op, ctx, normed, (shape[1], *[1] * (rank - 2)))
    ctx.output(op, b.channels_restored(result, rank, last=last), "Y")


def _instance_norm(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x, rank = ctx.builder, ctx.input(op, "X"), op["X"].rank
    if rank < 3:
        raise Declined(f"X is {op['X']}: expected at least 3 axes, [N, C, …]")
    normed = _standardised(b, x, range(2, rank), op.real("epsilon"))
    normed = _scaled(op, ctx, normed, (b.shape(x)[1], *[1] * (rank - 2)))
    ctx.output(op, activated(b, op.text("activation"), normed, op.reals("activation_params")), "Y")


def _softmax(op: BridgeOp, ctx: Context) -> None:
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    if not op["X"].rank:
        raise Declined("X has no axes, expected at least one")
    axis = op["X"].axis(op.integer("axis"))
    if op.op == "softmax":
        ctx.output(op, b.add("softmax", x=x, axis=axis))
        return
    centred = b.add("sub", x=x, y=b.add("reduce_max", x=x, axes=[axis], keep_dims=True))
    total = b.add("reduce_log_sum_exp", x=centred, axes=[axis], keep_dims=True)
    ctx.output(op, b.add("sub", x=centred, y=total))


def _norm(op: BridgeOp, ctx: Context) -> None:
    """norm → X / √(Σ X² + epsilon) along an axis."""
    _require_float(op)
    b, x = ctx.builder, ctx.input(op, "X")
    axes = [op["X"].axis(op.integer("axis"))]
    ctx.output(
        op, _divided(b, x, b.add("reduce_sum_square", x=x, axes=axes, keep_dims=True), op.real("epsilon"))
    )


register(
    __name__,
    {
        "affine_channel": _affine_channel,
        "batch_norm": _batch_norm,
        "group_norm": _group_norm,
        "instance_norm": _instance_norm,
        "layer_norm": _layer_norm,
        "log_softmax": _softmax,
        "norm": _norm,
        "rms_norm": _rms_norm,
        "softmax": _softmax,
    },
)
