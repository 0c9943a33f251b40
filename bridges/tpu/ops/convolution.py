"""conv2d → Conv.  Images [N, C, H, W] or channels last; the filter and the bias are constants."""

from __future__ import annotations

from typing import Any

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.limits import why_not_constant, why_not_tensors
from lite.bridges.tpu.ops.activation import activated, why_not_activation
from lite.bridges.tpu.ops.shape_slice import sliced
from lite.bridges.tpu.row import Context
from lite.ops.schema import SCHEMAS
from lite.ops.window import Window, is_channel_last, spatial, windows
from lite.plugin.device import BridgeOp, Device, bridge

MOST_STRIDE = 15
"""The largest stride and dilation of the chip's convolution."""


def why_not_convolution(op: BridgeOp) -> str | None:
    """Why the device cannot run a convolution or a transposed one; None when it can."""
    reason = why_not_tensors(op) or why_not_constant(op, "Filter", "Bias", "PostScale", "PostShift")
    if reason is not None:
        return reason
    for name in ("strides", "dilations"):
        if max(op.integers(name)) > MOST_STRIDE and not is_of_patches(op):
            return f"{name} are {op.integers(name)}; the chip takes at most {MOST_STRIDE}"
    if min(op.integers("paddings")) < 0:
        return f"paddings are {op.integers('paddings')}; the device takes none below 0"
    return why_not_activation(fused_activation(op))


def is_of_patches(op: BridgeOp) -> bool:
    """Whether a convolution multiplies patches that lie side by side, as vision transformers begin."""
    return (
        op.op == "conv2d"
        and op.integers("strides") == list(op["Filter"].sizes[2:])
        and op.integers("dilations") == [1, 1]
        and op.integer("groups") == 1
        and op.text("padding_algorithm") != "SAME"
        and not any(op.integers("paddings"))
    )


def fused_activation(op: BridgeOp) -> str:
    """The name of the fused activation; empty for none."""
    return op.text("activation") if "activation" in SCHEMAS[op.op].attrs else ""


def channel_last(op: BridgeOp) -> bool:
    """Whether channels are the last axis of the image."""
    return "data_format" in SCHEMAS[op.op].attrs and is_channel_last(op.text("data_format"))


def image_windows(op: BridgeOp) -> list[Window]:
    """The windows of a convolution over an image of known size."""
    return windows(
        spatial("NHWC" if channel_last(op) else "NCHW", op["Input"].sizes),
        list(op["Filter"].sizes[2:]),
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def add_epilogue(op: BridgeOp, ctx: Context, result: Any) -> None:
    """Add residual, activation, scale and shift to a result [N, M, …]; output it in the op's layout."""
    b, rank = ctx.builder, op["Input"].rank
    last = channel_last(op)
    residual = ctx.optional(op, "ResidualData")
    if residual is not None:
        result = b.lang.add(result, b.channels_first(residual, rank, last=last))
    name = fused_activation(op)
    if name:
        result = activated(b, name, result, op.reals("activation_params"))
    for slot, add in (("PostScale", b.lang.mul), ("PostShift", b.lang.add)):
        vector = op.constant(slot)
        if vector is not None:
            result = add(result, b.constant(slot, vector.reshape(-1, *[1] * (rank - 2))))
    ctx.output(op, b.channels_restored(result, rank, last=last))


@bridge("tpu", "conv2d")
class Convolution:
    """Input, Filter, Bias → Conv."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_convolution(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, (rows, columns) = ctx.builder, image_windows(op)
        image = b.channels_first(ctx.input(op, "Input"), 4, last=channel_last(op))
        weight, bias = op.constant("Filter"), op.constant("Bias")
        assert weight is not None, "why_not asked for a constant"
        strides = [rows.stride, columns.stride]
        if max(strides) > MOST_STRIDE:
            image = _patches(op, b, image)
            weight, strides = weight.reshape(len(weight), -1, 1, 1), [1, 1]
        result = b.lang.conv(
            image,
            b.constant("filter", weight),
            None if bias is None else b.constant("bias", bias.reshape(-1)),
            stride=strides,
            dilation=[rows.dilation, columns.dilation],
            pad=[rows.before, columns.before, rows.after, columns.after],
            group=op.integer("groups"),
        )
        add_epilogue(op, ctx, result)


def _patches(op: BridgeOp, b: Builder, image: Tensor) -> Tensor:
    """An image [N, C, H, W] whose patches are single points: their elements become channels."""
    _, channels, rows, columns = op["Filter"].sizes
    sizes = op["Input"].sizes
    batch, (height, width) = sizes[0], sizes[1:3] if channel_last(op) else sizes[2:]
    down, across = height // rows, width // columns
    ends = [batch, channels, down * rows, across * columns]
    image = sliced(b, image, [batch, channels, height, width], [0, 0, 0, 0], ends)
    parts = b.shaped(image, [batch, channels, down, rows, across, columns])
    patches = b.transposed(parts, [0, 1, 3, 5, 2, 4])
    return b.shaped(patches, [batch, channels * rows * columns, down, across])
