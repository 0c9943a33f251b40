"""Transposed convolutions of images and volumes."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.ops.conv import channel_last, finish, grouped, why_not_convolution
from lite.bridges.openvino.ops.layout import channels_first
from lite.bridges.openvino.row import Context
from lite.errors import CompileError
from lite.ops.schema import SCHEMAS
from lite.ops.window import Window, spatial, windows
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
class ConvolutionTranspose:
    """ConvolutionBackpropData; with output sizes or padding SAME, the image's size must be known."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_convolution(op)
        if reason is None and op.node.inputs.get("OutputSize"):
            return "OutputSize is a tensor; OpenVINO's padding is fixed when the model is compiled"
        if reason is None and op["Input"].is_static and min(_extra(op)) < 0:
            return f"output_size is {op.integers('output_size')}, less than what the windows span"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b = ctx.builder
        x = channels_first(b, ctx.input(op, "Input"), op["Input"].rank, last=channel_last(op))
        weight, spread = ctx.input(op, "Filter"), b.op.convolution_backprop_data
        if op.integer("groups") != 1:
            weight, spread = grouped(b, op, weight), b.op.group_convolution_backprop_data
        found = _windows(op)
        sums = spread(
            x,
            weight,
            op.integers("strides"),
            pads_begin=[window.before for window in found],
            pads_end=[window.after for window in found],
            dilations=[window.dilation for window in found],
            auto_pad="explicit",
            output_padding=_extra(op),
        )
        finish(op, ctx, sums.output(0))


def _image(op: BridgeOp) -> list[int | str]:
    return spatial("NHWC" if channel_last(op) else "NCHW", op["Input"].dims)


def _windows(op: BridgeOp) -> list[Window]:
    image, algorithm = _image(op), op.text("padding_algorithm")
    if algorithm == "SAME" and not op["Input"].is_static:
        raise CompileError(f"padding SAME needs the image's size, Input is {op['Input']}", op.name)
    kernel = [int(dim) for dim in op["Filter"].dims[2:]]
    return windows(
        image, kernel, op.integers("strides"), op.integers("dilations"), op.integers("paddings"), algorithm
    )


def _extra(op: BridgeOp) -> list[int]:
    """How much larger the output is than what the windows span."""
    image = _image(op)
    given = op.integers("output_size") if "output_size" in SCHEMAS[op.op].attrs else []
    if not given:
        return op.integers("output_padding") or [0] * len(image)
    if not op["Input"].is_static:
        raise CompileError(f"output_size {given} needs the image's size, Input is {op['Input']}", op.name)
    spans = [window.transposed(size) for window, size in zip(_windows(op), image, strict=True)]
    return [size - int(span) for size, span in zip(given, spans, strict=True)]
