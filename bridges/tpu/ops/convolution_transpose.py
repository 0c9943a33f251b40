"""conv2d_transpose → Deconv.  The filter and the bias are constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.tpu.ops.convolution import add_epilogue, channel_last, image_windows, why_not_convolution
from lite.bridges.tpu.row import Context
from lite.ir.types import Array
from lite.ops.schema import SCHEMAS
from lite.ops.window import spatial
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("tpu", "conv2d_transpose")
class ConvolutionTranspose:
    """Input, Filter, Bias → Deconv."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_convolution(op)
        if reason is None and op.node.inputs.get("OutputSize"):
            return "OutputSize is a tensor; the device's padding is fixed when the model is compiled"
        if reason is None and op["Input"].is_static:
            padding, strides = _output_padding(op), op.integers("strides")
            if any(not 0 <= more < stride for more, stride in zip(padding, strides, strict=True)):
                return f"its output is larger than what the windows span by {padding}, strides are {strides}"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, (rows, columns) = ctx.builder, image_windows(op)
        weight, bias, groups = op.constant("Filter"), op.constant("Bias"), op.integer("groups")
        assert weight is not None, "why_not asked for a constant"
        result = b.lang.deconv(
            b.channels_first(ctx.input(op, "Input"), 4, last=channel_last(op)),
            b.constant("filter", _outputs_first(weight, groups)),
            None if bias is None else b.constant("bias", bias.reshape(-1)),
            stride=[rows.stride, columns.stride],
            dilation=[rows.dilation, columns.dilation],
            pad=[rows.before, columns.before, rows.after, columns.after],
            output_padding=_output_padding(op),
            group=groups,
        )
        add_epilogue(op, ctx, result)


def _outputs_first(weight: Array, groups: int) -> Array:
    """The filter [C, M / groups, kH, kW] as [M / groups, C, kH, kW], each group's channels transposed."""
    inputs, outputs, *kernel = weight.shape
    parts = weight.reshape(groups, inputs // groups, outputs, *kernel)
    return np.ascontiguousarray(parts.transpose(0, 2, 1, 3, 4)).reshape(outputs, inputs, *kernel)


def _output_padding(op: BridgeOp) -> list[int]:
    """By how much the output is larger than what the windows span, for each spatial axis."""
    image = spatial("NHWC" if channel_last(op) else "NCHW", op["Input"].sizes)
    sizes = op.integers("output_size") if "output_size" in SCHEMAS[op.op].attrs else []
    if not sizes:
        return op.integers("output_padding") or [0] * len(image)
    spanned = [window.transposed(size) for window, size in zip(image_windows(op), image, strict=True)]
    return [size - int(span) for size, span in zip(sizes, spanned, strict=True)]
