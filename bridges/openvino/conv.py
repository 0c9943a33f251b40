"""Convolutions of images and volumes, and their transposes, with what may be fused into them."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.activation import activated, unknown_activation
from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context
from lite.bridges.openvino.support import refused, same_dtype
from lite.bridges.openvino.support import FLOAT
from lite.bridges.openvino.layout import from_channels_first, to_channels_first
from lite.ops.window import spatial, windows
from lite.plugin.bridge import bridge
from lite.plugin.bridge_op import BridgeOp
from lite.plugin.device import Device


@bridge("openvino", "conv2d", "depthwise_conv2d", "conv3d")
class Convolution:
    """Convolution or GroupConvolution; the filter may be any tensor of known sizes."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return refused(op, FLOAT) or same_dtype(op, *op.node.inputs) or _why(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b = ctx.builder
        strides, dilations, groups = op.integers("strides"), op.integers("dilations"), op.integer("groups")
        before, after, auto = _padding(op)
        if auto == "same_upper":
            dilations = [1] * len(strides)
        x = to_channels_first(b, op, ctx.input(op, "Input"))
        weight = ctx.input(op, "Filter")
        if groups == 1:
            y = b.op.convolution(x, weight, strides, before, after, dilations, auto)
        else:
            weight = _grouped(b, op, weight, groups)
            y = b.op.group_convolution(x, weight, strides, before, after, dilations, auto)
        _finish(op, ctx, y)


@bridge("openvino", "conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
class ConvolutionTranspose:
    """ConvolutionBackpropData; with output sizes or SAME padding the image's size must be known."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, FLOAT) or same_dtype(op, *op.node.inputs) or _why(op)
        if reason is None and op.node.inputs.get("OutputSize"):
            reason = "OutputSize is a tensor; OpenVINO wants its numbers"
        if reason is None and _output_sizes(op) and not op["Input"].is_static:
            return None
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b = ctx.builder
        strides, dilations, groups = op.integers("strides"), op.integers("dilations"), op.integer("groups")
        before, after, extra = _transposed_padding(op)
        x = to_channels_first(b, op, ctx.input(op, "Input"))
        weight = ctx.input(op, "Filter")
        if op.text("padding_algorithm") == "SAME":
            dilations = [1] * len(strides)
        parts: dict[str, Any] = {
            "strides": strides,
            "pads_begin": before,
            "pads_end": after,
            "dilations": dilations,
            "auto_pad": "explicit",
            "output_padding": extra,
        }
        if groups == 1:
            y = b.op.convolution_backprop_data(x, weight, **parts)
        else:
            weight = _grouped(b, op, weight, groups)
            y = b.op.group_convolution_backprop_data(x, weight, **parts)
        _finish(op, ctx, y)
