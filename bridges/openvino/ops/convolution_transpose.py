"""conv2d_transpose, conv3d_transpose → ConvolutionBackpropData (opset 15).

Input float32[N, C, H, W] or float32[N, C, D, H, W], or channels last; Filter float32[C, M / groups, kH, kW]
of known sizes.  With groups, GroupConvolutionBackpropData.  Padding is fixed when the model is compiled, so
padding SAME and output_size need the image's size, and OutputSize is not a tensor.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.ops.convolution import (
    add_epilogue,
    channel_last,
    grouped,
    image_input,
    why_not_convolution,
)
from lite.bridges.openvino.row import Context
from lite.errors import CompileError
from lite.ir.types import Dim
from lite.ops.schema import SCHEMAS
from lite.ops.window import Window, spatial, windows
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "conv2d_transpose", "conv3d_transpose")
class ConvolutionTranspose:
    """Input, Filter → ConvolutionBackpropData."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_convolution(op)
        if reason is None and op.node.inputs.get("OutputSize"):
            return "OutputSize is a tensor; OpenVINO's padding is fixed when the model is compiled"
        if reason is None and op["Input"].is_static and min(_output_padding(op)) < 0:
            return f"output_size is {op.integers('output_size')}, less than what the windows span"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        """Raises `CompileError` where a model of open sizes is compiled and the image's size decides."""
        b = ctx.builder
        x, weight, convolve = image_input(op, ctx), ctx.input(op, "Filter"), b.op.convolution_backprop_data
        if op.integer("groups") != 1:
            weight, convolve = grouped(b, op, weight), b.op.group_convolution_backprop_data
        image_windows = _windows(op)
        node = convolve(
            x,
            weight,
            op.integers("strides"),
            pads_begin=[window.before for window in image_windows],
            pads_end=[window.after for window in image_windows],
            dilations=[window.dilation for window in image_windows],
            auto_pad="explicit",
            output_padding=_output_padding(op),
        )
        add_epilogue(op, ctx, node.output(0))


def _image(op: BridgeOp) -> list[Dim]:
    return spatial("NHWC" if channel_last(op) else "NCHW", op["Input"].dims)


def _windows(op: BridgeOp) -> list[Window]:
    image, algorithm = _image(op), op.text("padding_algorithm")
    if algorithm == "SAME" and not op["Input"].is_static:
        raise CompileError(f"padding SAME needs the image's size, Input is {op['Input']}", op.name)
    kernel = [int(dim) for dim in op["Filter"].dims[2:]]
    return windows(
        image, kernel, op.integers("strides"), op.integers("dilations"), op.integers("paddings"), algorithm
    )


def _output_padding(op: BridgeOp) -> list[int]:
    """By how much the output is larger than what the windows span, for each spatial axis."""
    image = _image(op)
    sizes = op.integers("output_size") if "output_size" in SCHEMAS[op.op].attrs else []
    if not sizes:
        return op.integers("output_padding") or [0] * len(image)
    if not op["Input"].is_static:
        raise CompileError(f"output_size {sizes} needs the image's size, Input is {op['Input']}", op.name)
    spanned = [window.transposed(size) for window, size in zip(_windows(op), image, strict=True)]
    return [size - int(span) for size, span in zip(sizes, spanned, strict=True)]
