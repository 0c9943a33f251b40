"""batch_norm, layer_norm, group_norm, instance_norm, rms_norm, affine_channel, softmax, norm, p_norm.

They become MEAN, SQUARED_DIFFERENCE, RSQRT, MUL and ADD, SOFTMAX or LOG_SOFTMAX.  float32; batch_norm takes
stored statistics, which become one factor and one term where they are constant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.bridges.tflite.ops.activation import activated
from lite.emission.conversion import Declined
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor
from lite.ir.types import Array
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _per_channel(b: Builder, vector: Tensor, rank: int, *, last: bool) -> Tensor:
    count = math.prod(vector.shape)
    return b.reshape(vector, (count,) if last or rank < 2 else (count, *[1] * (rank - 2)))


def _batch_norm(op: BridgeOp, ctx: Context) -> None:
    if not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics")):
        raise Declined("it computes the statistics of its batch (is_test=false)")
    b, x = ctx.builder, ctx.input(op, "X")
    last = is_channel_last(op.text("data_layout"))
    mean, variance = op.constant("Mean"), op.constant("Variance")
    if mean is None or variance is None:
        raise Declined("Mean and Variance are computed, expected constants")
    factor: Array = 1 / np.sqrt(variance.astype(np.float64) + op.real("epsilon"))
    scale, bias = op.constant("Scale"), op.constant("Bias")
    if (op.get("Scale") and scale is None) or (op.get("Bias") and bias is None):
        raise Declined("Scale or Bias are computed, expected constants")
    factor = factor if scale is None else factor * scale
    term = -mean * factor + (0 if bias is None else bias)
    for code, numbers in (("MUL", factor), ("ADD", term)):
        vector = b.array(np.asarray(numbers, np.float32).reshape(-1))
        x = b.binary(code, x, _per_channel(b, vector, x.rank, last=last))
    ctx.output(op, x, "Y")


def _affine_channel(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    last = is_channel_last(op.text("data_layout"))
    for code, slot in (("MUL", "Scale"), ("ADD", "Bias")):
        x = b.binary(code, x, _per_channel(b, ctx.input(op, slot), x.rank, last=last))
    ctx.output(op, x)


def _standardised(b: Builder, x: Tensor, axes: Sequence[int], epsilon: float) -> Tensor:
    """(x − mean) / √(variance + epsilon) over these axes."""
    centred = b.binary("SUB", x, b.reduce("MEAN", x, axes, keep=True))
    variance = b.reduce("MEAN", b.binary("MUL", centred, centred), axes, keep=True)
    return _divided(b, centred, variance, epsilon)


def _divided(b: Builder, x: Tensor, square: Tensor, epsilon: float) -> Tensor:
    return b.binary("DIV", x, b.unary("SQRT", b.binary("ADD", square, b.like(epsilon, x))))


def _scaled(op: BridgeOp, ctx: Context, x: Tensor, shape: Sequence[int]) -> Tensor:
    """x · Scale + Bias, each in this shape, where the op has them."""
    b = ctx.builder
    for code, slot in (("MUL", "Scale"), ("ADD", "Bias")):
        vector = ctx.optional(op, slot)
        if vector is not None:
            x = b.binary(code, x, b.reshape(vector, shape))
    return x


def _layer_norm(op: BridgeOp, ctx: Context) -> None:
    b, x, axis = ctx.builder, ctx.input(op, "X"), op.integer("begin_norm_axis")
    normed = _standardised(b, x, range(axis, x.rank), op.real("epsilon"))
    ctx.output(op, _scaled(op, ctx, normed, x.shape[axis:]), "Y")


def _rms_norm(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    axes = range(op["X"].axis(op.integer("begin_norm_axis")), x.rank)
    square = b.reduce("MEAN", b.binary("MUL", x, x), axes, keep=True)
    normed, scale = _divided(b, x, square, op.real("epsilon")), ctx.optional(op, "Scale")
    ctx.output(op, normed if scale is None else b.binary("MUL", normed, scale))


def _group_norm(op: BridgeOp, ctx: Context) -> None:
    b, x, groups = ctx.builder, ctx.input(op, "X"), op.integer("groups")
    if is_channel_last(op.text("data_layout")) and x.rank > 2:
        raise Declined("its channels are last; TFLite's shapes for groups are written for channels first")
    channels = x.shape[1]
    split = b.reshape(x, (x.shape[0], groups, math.prod(x.shape[1:]) // groups))
    normed = b.reshape(_standardised(b, split, [2], op.real("epsilon")), x.shape)
    ctx.output(op, _scaled(op, ctx, normed, (channels, *[1] * (x.rank - 2))), "Y")


def _instance_norm(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, ctx.input(op, "X")
    if x.rank < 3:
        raise Declined(f"X is {op['X']}: a channel must have at least one axis")
    normed = _standardised(b, x, range(2, x.rank), op.real("epsilon"))
    normed = _scaled(op, ctx, normed, (x.shape[1], *[1] * (x.rank - 2)))
    result = activated(b, op.text("activation"), normed, op.reals("activation_params"))
    ctx.output(op, result, "Y")


def _softmax(op: BridgeOp, ctx: Context) -> None:
    """softmax, log_softmax → SOFTMAX, LOG_SOFTMAX of the last axis, where the axis is moved to."""
    b, x = ctx.builder, ctx.input(op, "X")
    if not x.rank:
        raise Declined("X has no axes")
    axis = op["X"].axis(op.integer("axis"))
    order = x.home if x.home[-1] == axis else (*(n for n in range(x.rank) if n != axis), axis)
    stored = b.form(x, order)
    if op.op == "softmax":
        result = b.add("SOFTMAX", [stored], stored.shape, beta=1.0)
    else:
        result = b.add("LOG_SOFTMAX", [stored], stored.shape)
    ctx.output(op, b.wrap(result, order))


def _norm(op: BridgeOp, ctx: Context) -> None:
    """norm → X / √(Σ X² + epsilon) along an axis."""
    b, x = ctx.builder, ctx.input(op, "X")
    squares = b.reduce("SUM", b.binary("MUL", x, x), [op["X"].axis(op.integer("axis"))], keep=True)
    ctx.output(op, _divided(b, x, squares, op.real("epsilon")))


def _p_norm(op: BridgeOp, ctx: Context) -> None:
    """p_norm → √Σ X², Σ |X|, the largest or the least |X|."""
    b, x, order = ctx.builder, ctx.input(op, "X"), op.real("porder")
    axes = range(x.rank) if op.flag("asvector") else [op["X"].axis(op.integer("axis"))]
    keep = op.flag("keepdim")
    if order == 2:
        result = b.unary("SQRT", b.reduce("SUM", b.binary("MUL", x, x), axes, keep=keep))
    elif order in (1, math.inf, -math.inf):
        code = {1: "SUM", math.inf: "REDUCE_MAX", -math.inf: "REDUCE_MIN"}[order]
        result = b.reduce(code, b.unary("ABS", x), axes, keep=keep)
    else:
        raise Declined(f"porder is {order}, expected 1, 2 or an infinity")
    ctx.output(op, result)


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
        "p_norm": _p_norm,
        "rms_norm": _rms_norm,
        "softmax": _softmax,
    },
)
