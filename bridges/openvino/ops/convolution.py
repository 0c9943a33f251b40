"""conv2d, conv3d → Convolution or GroupConvolution (opset 15).

Input float32[N, C, H, W] or float32[N, C, D, H, W], or channels last; Filter float32[M, C / groups, kH, kW]
of known sizes, which need not be constant; Bias float32[M].  float16 is taken as well.  Paddings are not
negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, why_not_mixed_types, why_not_tensors
from lite.bridges.openvino.ops.activation import activated, why_not_activation
from lite.bridges.openvino.real_values import real
from lite.bridges.openvino.row import Context
from lite.ir.types import Dim
from lite.ops.schema import SCHEMAS
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, Device, bridge


def why_not_convolution(op: BridgeOp) -> str | None:
    """Why OpenVINO cannot run a convolution or a transposed one; None when it can."""
    reason = why_not_tensors(op, FLOAT) or why_not_mixed_types(op, *op.node.inputs)
    if reason is not None:
        return reason
    if not op["Filter"].is_static:
        return f"Filter is {op['Filter']}: its sizes must be known"
    if min(op.integers("paddings")) < 0:
        return f"paddings are {op.integers('paddings')}; OpenVINO takes none below 0"
    return why_not_activation(fused_activation(op))


def fused_activation(op: BridgeOp) -> str:
    """The name of the fused activation; empty for none."""
    return op.text("activation") if "activation" in SCHEMAS[op.op].attrs else ""


def channel_last(op: BridgeOp) -> bool:
    """Whether channels are the last axis of the image."""
    return "data_format" in SCHEMAS[op.op].attrs and is_channel_last(op.text("data_format"))


def image_input(op: BridgeOp, ctx: Context) -> Tensor:
    """Input as [N, C, …].

    OpenVINO 2026.4 multiplies the filter in place of the image by constants for each pixel that have the
    filter's sizes, in spite of paddings; an op in between prevents it.
    """
    b, rank, last = ctx.builder, op["Input"].rank, channel_last(op)
    x = ctx.input(op, "Input")
    if _scales_pixels(b.port(x), rank, last=last):
        x = real(b, x)
    return b.channels_first(x, rank, last=last)


def _scales_pixels(port: Any, rank: int, *, last: bool) -> bool:
    """Whether products make a value, one of them by a constant that differs from pixel to pixel."""
    node = port.get_node()
    if node.get_type_name() not in ("Multiply", "Divide"):
        return False
    for source in (each.get_source_output() for each in node.inputs()):
        if source.get_node().get_type_name() == "Constant":
            sizes = [*[1] * rank, *source.get_shape()][-rank:]
            if max(sizes[1:-1] if last else sizes[2:]) > 1:
                return True
        elif _scales_pixels(source, rank, last=last):
            return True
    return False


def grouped(b: Builder, op: BridgeOp, weight: Tensor) -> Tensor:
    """The filter as float32[groups, M / groups, …]."""
    first, *others = (int(dim) for dim in op["Filter"].dims)
    groups = op.integer("groups")
    return b.reshape(weight, [groups, first // groups, *others])


def add_epilogue(op: BridgeOp, ctx: Context, result: Tensor) -> None:
    """Add bias, residual, activation, scale and shift to a result [N, M, …]; output it in the op's layout."""
    b, rank = ctx.builder, op["Input"].rank
    bias = ctx.optional(op, "Bias")
    if bias is not None:
        result = b.op.add(result, b.per_channel(b.reshape(bias, [-1]), rank))
    last = channel_last(op)
    residual = ctx.optional(op, "ResidualData")
    if residual is not None:
        result = b.op.add(result, b.channels_first(residual, rank, last=last))
    name = fused_activation(op)
    if name:
        result = activated(b, name, result, op.reals("activation_params"))
    scale, shift = ctx.optional(op, "PostScale"), ctx.optional(op, "PostShift")
    if scale is not None:
        result = b.op.multiply(result, b.per_channel(scale, rank))
    if shift is not None:
        result = b.op.add(result, b.per_channel(shift, rank))
    ctx.output(op, b.channels_restored(result, rank, last=last))


def _why_not_one_column(op: BridgeOp) -> str | None:
    """OpenVINO 2026.4 computes wrong rows where one channel becomes one column with these strides."""
    if op["Filter"].dims[1] != 1 or op.integer("groups") != 1:
        return None
    *_, down, right = strides = op.integers("strides")
    column = op.output().dims[-2 if channel_last(op) else -1]
    if down != 1 or right == 1 or (isinstance(column, int) and column > 1):
        return None
    return f"OpenVINO computes one column wrongly with strides {strides}; the result is {op.output()}"


def _moves_strides(op: BridgeOp, kernel: Sequence[Dim]) -> bool:
    """Whether OpenVINO 2026.4 may give the strides to a convolution before this one, in spite of paddings.

    It does so where a filter has one element; with groups, it does not.
    """
    return (
        all(size == 1 for size in kernel) and max(op.integers("strides")) > 1 and any(op.integers("paddings"))
    )


@bridge("openvino", "conv2d", "conv3d")
class Convolution:
    """Input, Filter → Convolution, or GroupConvolution with groups."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_convolution(op) or _why_not_one_column(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, axes = ctx.builder, op["Input"].rank - 2
        paddings, kernel = op.integers("paddings"), op["Filter"].dims[2:]
        # OpenVINO 2026.4 crashes where one element of a filter is dilated on an image of one pixel.
        dilations = [
            1 if size == 1 else dilation
            for size, dilation in zip(kernel, op.integers("dilations"), strict=True)
        ]
        step = len(paddings) // axes
        auto = {"SAME": "same_upper", "VALID": "valid"}.get(op.text("padding_algorithm"), "explicit")
        if auto == "same_upper":
            dilations = [1] * axes
        x, weight, convolve = image_input(op, ctx), ctx.input(op, "Filter"), b.op.convolution
        if op.integer("groups") != 1 or _moves_strides(op, kernel):
            weight, convolve = grouped(b, op, weight), b.op.group_convolution
        node = convolve(
            x, weight, op.integers("strides"), paddings[::step], paddings[step - 1 :: step], dilations, auto
        )
        add_epilogue(op, ctx, node.output(0))
