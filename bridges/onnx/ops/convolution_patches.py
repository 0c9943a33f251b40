"""deformable_conv → DeformConv, unfold → Conv, col2im → Col2Im (ONNX opset 21).

Images float32[N, C, H, W]; unfold needs C.
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
    """deformable_conv → DeformConv."""
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
    """unfold → Conv of each channel with one filter per position in the window, each with a single 1."""
    b, x = ctx.builder, ctx.input(op, "X")
    channels = op["X"].dims[1]
    if not isinstance(channels, int):
        raise Declined(f"the number of channels must be known, got {op['X']}")
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
    """col2im → Col2Im."""
    shapes = [flat_int64(ctx, ctx.input(op, slot), op[slot]) for slot in ("ImageShape", "BlockShape")]
    windows: Attributes = {
        name: op.integers(name) for name in ("dilations", "pads", "strides") if op.integers(name)
    }
    ctx.output(op, ctx.builder.add("Col2Im", ctx.input(op, "X"), *shapes, **windows))
