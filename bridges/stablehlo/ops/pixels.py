"""shuffle_channel, pixel_shuffle, depth_to_space, space_to_depth → reshape, transpose of [N, C, H, W]."""

from __future__ import annotations

from lite.emission.stablehlo.bridging import Context, register
from lite.plugin.device import BridgeOp


def _shuffle_channel(op: BridgeOp, ctx: Context) -> None:
    """Groups become the inner axis of the channels."""
    b, x, group = ctx.builder, ctx.input(op, "X"), op.integer("group")
    count, channels, *image = x.shape
    split = b.reshape(x, (count, group, channels // group, *image))
    ctx.output(op, b.reshape(b.transpose(split, (0, 2, 1, 3, 4)), x.shape))


def _blocks_to_pixels(op: BridgeOp, ctx: Context) -> None:
    """depth_to_space has its blocks outside of the channels, pixel_shuffle inside."""
    b, x, inside = ctx.builder, ctx.input(op, "X"), op.op == "pixel_shuffle"
    block = op.integer("upscale_factor" if inside else "blocksize")
    last = inside and op.text("data_format") == "NHWC"
    image = b.transpose(x, (0, 3, 1, 2)) if last else x
    count, channels, rows, columns = image.shape
    own = channels // block**2
    if inside:
        split, axes = (count, own, block, block, rows, columns), (0, 1, 4, 2, 5, 3)
    else:
        split, axes = (count, block, block, own, rows, columns), (0, 3, 4, 1, 5, 2)
    mixed = b.transpose(b.reshape(image, split), axes)
    result = b.reshape(mixed, (count, own, rows * block, columns * block))
    ctx.output(op, b.transpose(result, (0, 2, 3, 1)) if last else result)


def _pixels_to_blocks(op: BridgeOp, ctx: Context) -> None:
    b, x, block = ctx.builder, ctx.input(op, "X"), op.integer("blocksize")
    count, channels, rows, columns = x.shape
    split = b.reshape(x, (count, channels, rows // block, block, columns // block, block))
    axes = (0, 1, 3, 5, 2, 4) if op.flag("channels_first") else (0, 3, 5, 1, 2, 4)
    shape = (count, channels * block**2, rows // block, columns // block)
    ctx.output(op, b.reshape(b.transpose(split, axes), shape))


register(
    __name__,
    {
        "depth_to_space": _blocks_to_pixels,
        "pixel_shuffle": _blocks_to_pixels,
        "shuffle_channel": _shuffle_channel,
        "space_to_depth": _pixels_to_blocks,
    },
)
