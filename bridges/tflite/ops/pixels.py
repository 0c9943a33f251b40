"""shuffle_channel, pixel_shuffle, depth_to_space, space_to_depth → RESHAPE, TRANSPOSE of X [N, C, H, W]."""

from __future__ import annotations

from lite.emission.tflite.bridging import Context, register
from lite.plugin.device import BridgeOp


def _shuffle_channel(op: BridgeOp, ctx: Context) -> None:
    """shuffle_channel → groups become the inner axis of the channels."""
    b, x, group = ctx.builder, ctx.input(op, "X"), op.integer("group")
    last = b.transpose(x, (0, 2, 3, 1))
    count, rows, columns, channels = last.shape
    split = b.reshape(last, (count * rows * columns, group, channels // group))
    mixed = b.reshape(b.transpose(split, (0, 2, 1)), last.shape)
    ctx.output(op, b.transpose(mixed, (0, 3, 1, 2)))


def _pixel_shuffle(op: BridgeOp, ctx: Context) -> None:
    """depth_to_space has its blocks outside of the channels, pixel_shuffle inside."""
    b, x = ctx.builder, ctx.input(op, "X")
    if op.op == "pixel_shuffle":
        block, last = op.integer("upscale_factor"), op.text("data_format") == "NHWC"
    else:
        block, last = op.integer("blocksize"), False
    image = b.transpose(x, (0, 3, 1, 2)) if last else x
    count, channels, rows, columns = image.shape
    own = channels // block**2
    if op.op == "pixel_shuffle":
        split, axes = (count, own, block, block, rows, columns), (0, 1, 4, 2, 5, 3)
    else:
        split, axes = (count, block, block, own, rows, columns), (0, 3, 4, 1, 5, 2)
    mixed = b.transpose(b.reshape(image, split), axes)
    result = b.reshape(mixed, (count, own, rows * block, columns * block))
    ctx.output(op, b.transpose(result, (0, 2, 3, 1)) if last else result)


def _space_to_depth(op: BridgeOp, ctx: Context) -> None:
    b, x, block = ctx.builder, ctx.input(op, "X"), op.integer("blocksize")
    count, channels, rows, columns = x.shape
    split = b.reshape(x, (count, channels, rows // block, block, columns // block, block))
    axes = (0, 1, 3, 5, 2, 4) if op.flag("channels_first") else (0, 3, 5, 1, 2, 4)
    shape = (count, channels * block**2, rows // block, columns // block)
    ctx.output(op, b.reshape(b.transpose(split, axes), shape))


register(
    __name__,
    {
        "depth_to_space": _pixel_shuffle,
        "pixel_shuffle": _pixel_shuffle,
        "shuffle_channel": _shuffle_channel,
        "space_to_depth": _space_to_depth,
    },
)
