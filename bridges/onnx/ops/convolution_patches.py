"""deformable_conv → DeformConv, unfold → Conv, col2im → Col2Im (ONNX opset 21).

The images are float32[N, C, H, W].  unfold requires a known C.
"""

from __future__ import annotations

import math

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes
from lite.emission.onnx.shape_inputs import flat_int64
from lite.ir.types import Array
from lite.plugin.device import BridgeOp


@converts("deformable_conv")
def deformable_conv(op: BridgeOp, ctx: Context) -> None:
    """deformable_conv → DeformConv.

    Input float32[N, C, H, W], Filter float32[M, C / groups, kH, kW], Offset float32[N, 2 · D · kH · kW, oH,
    oW] and Mask float32[N, D · kH · kW, oH, oW] with D = deformable_groups → float32[N, M, oH, oW].
    """
    paddings = op.integers("paddings")
    pads = paddings * 2 if len(paddings) == 2 else [paddings[0], paddings[2], paddings[1], paddings[3]]
    b, bias = ctx.builder, ctx.optional(op, "Bias")
    result = b.add(
        "DeformConv",
        ctx.input(op, "Input"),
        ctx.input(op, "Filter"),
        ctx.input(op, "Offset"),
        bias if bias is None or op["Bias"].rank == 1 else b.flat(bias),
        ctx.optional(op, "Mask"),
        strides=op.integers("strides"),
        dilations=op.integers("dilations"),
        pads=pads,
        group=op.integer("groups"),
        offset_group=op.integer("deformable_groups"),
    )
    ctx.output(op, result)


@converts("unfold")
def unfold(op: BridgeOp, ctx: Context) -> None:
    """unfold → Conv: float32[N, C, H, W] → float32[N, C · kH · kW, L] for L windows.

    Each channel has kH · kW filters.  Each filter copies one position of the window: it is 1 there, else 0.
    """
    b, x = ctx.builder, ctx.input(op, "X")
    channels = op["X"].dims[1]
    if not isinstance(channels, int):
        raise Declined(f"X is {op['X']}: the number of channels must be known")
    kernel, paddings = op.integers("kernel_sizes"), op.integers("paddings")
    taps = math.prod(kernel)
    filters: Array = np.eye(taps, dtype=x.dtype.numpy).reshape(taps, 1, *kernel)
    pads = paddings * 2 if len(paddings) == 2 else paddings
    columns = b.add(
        "Conv",
        x,
        b.array(np.tile(filters, (channels, 1, 1, 1))),
        group=channels,
        kernel_shape=kernel,
        strides=op.integers("strides"),
        dilations=op.integers("dilations"),
        pads=pads,
    )
    ctx.output(op, b.reshape(columns, 0, channels * taps, -1))


@converts("col2im")
def col2im(op: BridgeOp, ctx: Context) -> None:
    """col2im → Col2Im: X [N, C · the product of BlockShape, L] → [N, C, …] with the sizes of ImageShape."""
    shapes = [flat_int64(ctx, ctx.input(op, slot), op[slot]) for slot in ("ImageShape", "BlockShape")]
    windows: Attributes = {
        name: op.integers(name) for name in ("dilations", "pads", "strides") if op.integers(name)
    }
    ctx.output(op, ctx.builder.add("Col2Im", ctx.input(op, "X"), *shapes, **windows))
