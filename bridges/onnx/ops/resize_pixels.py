"""pixel_shuffle, depth_to_space, shuffle_channel, temporal_shift, … → DepthToSpace, … (ONNX opset 21).

X float32[N, C, H, W]; pixel_shuffle and temporal_shift also with channels last.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import require_dim
from lite.plugin.device import BridgeOp


@converts("pixel_shuffle")
def pixel_shuffle(op: BridgeOp, ctx: Context) -> None:
    """pixel_shuffle → DepthToSpace in mode CRD."""
    b, factor = ctx.builder, op.integer("upscale_factor")
    last = op.text("data_format") == "NHWC"
    image = b.channels_first(ctx.input(op, "X"), 4, last=last)
    result = b.add("DepthToSpace", image, blocksize=factor, mode="CRD")
    ctx.output(op, b.channels_restored(result, 4, last=last))


@converts("shuffle_channel")
def shuffle_channel(op: BridgeOp, ctx: Context) -> None:
    """shuffle_channel → Reshape and Transpose, so that groups become the inner axis of the channels."""
    x, b, group = ctx.input(op, "X"), ctx.builder, op.integer("group")
    lead = b.slice(b.sizes(x), [0], [1], [0])
    tail = b.slice(b.sizes(x), [2], [4], [0])
    split = b.add("Reshape", x, b.add("Concat", lead, b.ints(group, -1), tail, axis=0))
    ctx.output(
        op,
        b.add(
            "Reshape", b.transpose(split, [0, 2, 1, 3, 4]), b.add("Concat", lead, b.ints(-1), tail, axis=0)
        ),
    )


@converts("depth_to_space", "space_to_depth")
def blocks(op: BridgeOp, ctx: Context) -> None:
    """depth_to_space → DepthToSpace, space_to_depth → SpaceToDepth."""
    if op.op == "depth_to_space":
        ctx.output(op, ctx.builder.add("DepthToSpace", ctx.input(op, "X"), blocksize=op.integer("blocksize")))
        return
    if op.flag("channels_first"):
        raise Declined(
            "channels are its outer axis (channels_first=true); ONNX's SpaceToDepth has blocks there"
        )
    ctx.output(op, ctx.builder.add("SpaceToDepth", ctx.input(op, "X"), blocksize=op.integer("blocksize")))


_END = int(np.iinfo(np.int64).max)


@converts("temporal_shift")
def temporal_shift(op: BridgeOp, ctx: Context) -> None:
    """temporal_shift → Pad and Slice: some channels are from the previous frame, some from the next."""
    b, frames = ctx.builder, op.integer("seg_num")
    last = op.text("data_format") == "NHWC"
    axis = 3 if last else 1
    channels = require_dim(op["X"], axis, "X")
    first, second = int(channels * op.real("shift_ratio")), int(channels * 2 * op.real("shift_ratio"))
    x = ctx.input(op, "X")
    tail = b.slice(b.sizes(x), [1], [4], [0])
    clips = b.add("Reshape", x, b.add("Concat", b.ints(-1, frames), tail, axis=0))
    zero = b.scalar(0.0, x.dtype)
    groups = [(0, first, 1), (first, second, -1), (second, channels, 0)]
    parts = [
        _shifted(ctx, b.slice(clips, [start], [end], [axis + 1]), by, zero)
        for start, end, by in groups
        if end > start
    ]
    joined = parts[0] if len(parts) == 1 else b.add("Concat", *parts, axis=axis + 1)
    ctx.output(op, b.add("Reshape", joined, b.sizes(x)))


def _shifted(ctx: Context, clips: Tensor, by: int, zero: Tensor) -> Tensor:
    """The frames shifted along axis 1, with zeros for missing ones."""
    b = ctx.builder
    if not by:
        return clips
    pads = b.ints(1, 0) if by > 0 else b.ints(0, 1)
    padded = b.add("Pad", clips, pads, zero, b.ints(1))
    return b.slice(padded, [0], [-1], [1]) if by > 0 else b.slice(padded, [1], [_END], [1])
