"""batch_norm, layer_norm, group_norm, instance_norm, rms_norm, affine_channel, softmax, norm, p_norm.

They become reductions and elementwise operations of real numbers; batch_norm takes stored statistics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.bridges.stablehlo.ops.activation import activated, plus
from lite.emission.conversion import Declined
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp


def _real(op: BridgeOp, ctx: Context) -> Tensor:
    x = ctx.input(op, "X")
    if not x.dtype.is_float:
        raise Declined(f"X is {op['X']}, expected real numbers")
    return x


def _per_channel(op: BridgeOp, ctx: Context, slot: str, *, last: bool) -> Tensor:
    """A vector in the shape that broadcasts along the channels of X."""
    vector, rank = ctx.input(op, slot), op["X"].rank
    count = math.prod(vector.shape)
    return ctx.builder.reshape(vector, (count,) if last or rank < 2 else (count, *[1] * (rank - 2)))


def _scaled(op: BridgeOp, ctx: Context, x: Tensor, shape: Sequence[int]) -> Tensor:
    """x · Scale + Bias, each in this shape, where the op has them."""
    b = ctx.builder
    for name, slot in (("multiply", "Scale"), ("add", "Bias")):
        vector = ctx.optional(op, slot)
        if vector is not None:
            x = b.binary(name, x, b.reshape(vector, shape))
    return x


def _batch_norm(op: BridgeOp, ctx: Context) -> None:
    if not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics")):
        raise Declined("it computes the statistics of its batch (is_test=false)")
    b, x = ctx.builder, _real(op, ctx)
    last = is_channel_last(op.text("data_layout"))
    mean, variance = (_per_channel(op, ctx, slot, last=last) for slot in ("Mean", "Variance"))
    centred = b.binary("subtract", x, mean)
    normed = _divided(b, centred, variance, op.real("epsilon"))
    ctx.output(op, _scaled(op, ctx, normed, mean.shape), "Y")


def _affine_channel(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, _real(op, ctx)
    last = is_channel_last(op.text("data_layout"))
    for name, slot in (("multiply", "Scale"), ("add", "Bias")):
        x = b.binary(name, x, _per_channel(op, ctx, slot, last=last))
    ctx.output(op, x)


def _divided(b: Builder, x: Tensor, square: Tensor, epsilon: float) -> Tensor:
    return b.binary("divide", x, b.unary("sqrt", plus(b, square, epsilon)))


def _standardised(b: Builder, x: Tensor, axes: Sequence[int], epsilon: float) -> Tensor:
    """(x − mean) / √(variance + epsilon) over these axes."""
    centred = b.binary("subtract", x, b.mean(x, axes, keep=True))
    return _divided(b, centred, b.mean(b.binary("multiply", centred, centred), axes, keep=True), epsilon)


def _layer_norm(op: BridgeOp, ctx: Context) -> None:
    x, axis = _real(op, ctx), op.integer("begin_norm_axis")
    normed = _standardised(ctx.builder, x, range(axis, x.rank), op.real("epsilon"))
    ctx.output(op, _scaled(op, ctx, normed, x.shape[axis:]), "Y")


def _rms_norm(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, _real(op, ctx)
    axes = range(op["X"].axis(op.integer("begin_norm_axis")), x.rank)
    square = b.mean(b.binary("multiply", x, x), axes, keep=True)
    normed, scale = _divided(b, x, square, op.real("epsilon")), ctx.optional(op, "Scale")
    ctx.output(op, normed if scale is None else b.binary("multiply", normed, scale))


def _group_norm(op: BridgeOp, ctx: Context) -> None:
    b, x, groups = ctx.builder, _real(op, ctx), op.integer("groups")
    last = is_channel_last(op.text("data_layout")) and x.rank > 2
    if last:
        channels, image = x.shape[-1], x.shape[1:-1]
        shape: tuple[int, ...] = (x.shape[0], *image, groups, channels // groups)
        axes = [*range(1, x.rank - 1), x.rank]
    else:
        channels, image = x.shape[1], x.shape[2:]
        shape, axes = (x.shape[0], groups, channels // groups, *image), list(range(2, x.rank + 1))
    normed = b.reshape(_standardised(b, b.reshape(x, shape), axes, op.real("epsilon")), x.shape)
    ctx.output(op, _scaled(op, ctx, normed, (channels,) if last else (channels, *[1] * len(image))), "Y")


def _instance_norm(op: BridgeOp, ctx: Context) -> None:
    b, x = ctx.builder, _real(op, ctx)
    if x.rank < 3:
        raise Declined(f"X is {op['X']}: a channel must have at least one axis")
    normed = _standardised(b, x, range(2, x.rank), op.real("epsilon"))
    normed = _scaled(op, ctx, normed, (x.shape[1], *[1] * (x.rank - 2)))
    ctx.output(op, activated(b, op.text("activation"), normed, op.reals("activation_params")), "Y")


def _softmax(op: BridgeOp, ctx: Context) -> None:
    """softmax, log_softmax of the difference from the largest element."""
    b, x = ctx.builder, _real(op, ctx)
    if not x.rank:
        raise Declined("X has no axes")
    axes = [op["X"].axis(op.integer("axis"))]
    centred = b.binary("subtract", x, b.reduce("maximum", x, axes, keep=True))
    powers = b.unary("exponential", centred)
    total = b.reduce("add", powers, axes, keep=True)
    if op.op == "softmax":
        ctx.output(op, b.binary("divide", powers, total))
    else:
        ctx.output(op, b.binary("subtract", centred, b.unary("log", total)))


def _norm(op: BridgeOp, ctx: Context) -> None:
    """norm → X / √(Σ X² + epsilon) along an axis."""
    b, x = ctx.builder, _real(op, ctx)
    axes = [op["X"].axis(op.integer("axis"))]
    squares = b.reduce("add", b.binary("multiply", x, x), axes, keep=True)
    ctx.output(op, _divided(b, x, squares, op.real("epsilon")))


def _p_norm(op: BridgeOp, ctx: Context) -> None:
    """p_norm → √Σ X², Σ |X|, the largest or the least |X|."""
    b, x, order, keep = ctx.builder, _real(op, ctx), op.real("porder"), op.flag("keepdim")
    axes = range(x.rank) if op.flag("asvector") else [op["X"].axis(op.integer("axis"))]
    if order == 2:
        result = b.unary("sqrt", b.reduce("add", b.binary("multiply", x, x), axes, keep=keep))
    elif order in (1, math.inf, -math.inf):
        name = {1: "add", math.inf: "maximum", -math.inf: "minimum"}[order]
        result = b.reduce(name, b.unary("abs", x), axes, keep=keep)
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
