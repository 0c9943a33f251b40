"""Convolutions of images and volumes."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.activation import activated, unknown_activation
from lite.bridges.openvino.ops.layout import channels_back, channels_first, per_channel
from lite.bridges.openvino.row import Context
from lite.bridges.openvino.support import FLOAT, refused, same_dtype
from lite.ops.schema import SCHEMAS
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, Device, bridge


def why_not_convolution(op: BridgeOp) -> str | None:
    """Why a convolution, or a transpose of one, cannot be taken; None when it can."""
    reason = refused(op, FLOAT) or same_dtype(op, *op.node.inputs)
    if reason is not None:
        return reason
    if not all(isinstance(dim, int) for dim in op["Filter"].dims):
        return f"Filter is {op['Filter']}: its sizes must be known"
    if min(op.integers("paddings")) < 0:
        return f"paddings are {op.integers('paddings')}; OpenVINO takes none below 0"
    return unknown_activation(fused_activation(op))


def fused_activation(op: BridgeOp) -> str:
    """The name of the activation behind the sums, in Paddle's or our attribute; empty without one."""
    if "activation" not in SCHEMAS[op.op].attrs:
        return ""
    fused = "relu" if op.flag("fuse_relu") else ""
    return op.text("activation") or op.text("fuse_activation") or fused


def channel_last(op: BridgeOp) -> bool:
    """Whether the image's channels are its last axis."""
    return "data_format" in SCHEMAS[op.op].attrs and is_channel_last(op.text("data_format"))


def grouped(b: Builder, op: BridgeOp, weight: Tensor) -> Tensor:
    """The filter with the groups as an axis of their own."""
    first, *others = (int(dim) for dim in op["Filter"].dims)
    groups = op.integer("groups")
    return b.reshape(weight, [groups, first // groups, *others])


def finish(op: BridgeOp, ctx: Context, sums: Tensor) -> None:
    """What follows the sums: bias, residual, activation, scale and shift; then the image's own layout."""
    b, rank = ctx.builder, op["Input"].rank
    bias = ctx.optional(op, "Bias")
    if bias is not None:
        sums = b.op.add(sums, per_channel(b, b.reshape(bias, [-1]), rank))
    last = channel_last(op)
    residual = ctx.optional(op, "ResidualData")
    if residual is not None:
        sums = b.op.add(sums, channels_first(b, residual, rank, last=last))
    name = fused_activation(op)
    if name:
        sums = activated(b, name, sums, op.reals("activation_params"))
    scale, shift = ctx.optional(op, "PostScale"), ctx.optional(op, "PostShift")
    if scale is not None:
        sums = b.op.multiply(sums, per_channel(b, scale, rank))
    if shift is not None:
        sums = b.op.add(sums, per_channel(b, shift, rank))
    ctx.output(op, channels_back(b, sums, rank, last=last))


@bridge("openvino", "conv2d", "depthwise_conv2d", "conv3d")
class Convolution:
    """Convolution or GroupConvolution; the filter may be any tensor of known sizes."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_convolution(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, axes = ctx.builder, op["Input"].rank - 2
        paddings, dilations = op.integers("paddings"), op.integers("dilations")
        step = len(paddings) // axes
        auto = {"SAME": "same_upper", "VALID": "valid"}.get(op.text("padding_algorithm"), "explicit")
        if auto == "same_upper":
            dilations = [1] * axes
        x = channels_first(b, ctx.input(op, "Input"), axes + 2, last=channel_last(op))
        weight, convolve = ctx.input(op, "Filter"), b.op.convolution
        if op.integer("groups") != 1:
            weight, convolve = grouped(b, op, weight), b.op.group_convolution
        sums = convolve(
            x, weight, op.integers("strides"), paddings[::step], paddings[step - 1 :: step], dilations, auto
        )
        finish(op, ctx, sums.output(0))
