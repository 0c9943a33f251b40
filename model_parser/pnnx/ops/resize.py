"""Resizing and sampling of images, and exchanges of channels and space."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value
from lite.model_parser.pnnx.writer import Names

_METHODS = {
    "nearest": ("nearest_interp_v2", 2),
    "linear": ("linear_interp_v2", 1),
    "bilinear": ("bilinear_interp_v2", 2),
    "bicubic": ("bicubic_interp_v2", 2),
    "trilinear": ("trilinear_interp_v2", 3),
}
"""torch's mode → op and its number of spatial axes."""

_OUT = ("out_d", "out_h", "out_w")


@pnnx_op(
    "nn.Upsample",
    "nn.UpsamplingNearest2d",
    "nn.UpsamplingBilinear2d",
    "F.upsample",
    "F.upsample_nearest",
    "F.upsample_bilinear",
    "F.interpolate",
)
def upsample(call: Call) -> Value:
    """An interpolation op, to a size, which may be an operand, or by factors."""
    writer, x = call.writer, call.x
    bilinear = call.type in ("nn.UpsamplingBilinear2d", "F.upsample_bilinear")
    mode = call.choice("mode", "bilinear" if bilinear else "nearest", *_METHODS)
    op, axes = _METHODS[mode]
    rank = writer.rank(x) - 2
    if rank != axes and not (mode == "nearest" and rank == 1):
        raise call.error(f"mode {mode} takes {axes} spatial axes, got an input with {rank}")
    attrs: dict[str, AttrValue] = {"align_corners": call.flag("align_corners", bilinear), "align_mode": 0}
    is_line = rank == 1 and axes == 2
    inputs: dict[str, Names] = {"X": writer.unary("unsqueeze2", x, {"axes": [2]}) if is_line else x}
    leading = [1] if is_line else []
    if call.has("size"):
        items = call.sizes("size")
        sizes = [*leading, *(items * rank if len(items) == 1 else items)]
        fixed = [size for size in sizes if isinstance(size, int)]
        if len(sizes) != axes:
            raise call.error(f"argument size: expected {rank} sizes, got {items}")
        if len(fixed) == axes:
            attrs |= dict(zip(_OUT[-axes:], fixed, strict=True))
        else:
            inputs["SizeTensor"] = [writer.index(size) for size in sizes]
    else:
        attrs["scale"] = [*map(float, leading), *call.reals("scale_factor", rank)]
        attrs["ratio_from_sizes"] = call.flag("recompute_scale_factor", False)
    out = writer.emit_one(op, inputs, attrs)
    return writer.unary("squeeze2", out, {"axes": [2]}) if is_line else out


@pnnx_op("F.grid_sample")
def grid_sample(call: Call) -> Value:
    """`grid_sampler`."""
    attrs: dict[str, AttrValue] = {
        "mode": call.choice("mode", "bilinear", "bilinear", "nearest"),
        "padding_mode": call.choice("padding_mode", "zeros", "zeros", "border", "reflection"),
        "align_corners": call.flag("align_corners", False),
    }
    return call.writer.emit_one("grid_sampler", {"X": call.x, "Grid": call.tensor("grid")}, attrs)


@pnnx_op("nn.ChannelShuffle", "F.channel_shuffle")
def channel_shuffle(call: Call) -> Value:
    """`shuffle_channel`."""
    return call.writer.unary("shuffle_channel", call.x, {"group": call.integer("groups")})


@pnnx_op("nn.PixelShuffle", "F.pixel_shuffle")
def pixel_shuffle(call: Call) -> Value:
    """`pixel_shuffle`."""
    return call.writer.unary("pixel_shuffle", call.x, {"upscale_factor": call.integer("upscale_factor")})


@pnnx_op("nn.PixelUnshuffle", "F.pixel_unshuffle")
def pixel_unshuffle(call: Call) -> Value:
    """The inverse of `pixel_shuffle`, by reshapes and a transpose."""
    writer, factor = call.writer, call.integer("downscale_factor")
    if factor < 1:
        raise call.error(f"parameter downscale_factor: expected 1 or more, got {factor}")
    sizes = [writer.size(call.image(2), axis) for axis in range(4)]
    rows, columns = (size // factor if isinstance(size, int) else -1 for size in sizes[2:])
    if rows == columns == -1 or not isinstance(sizes[1], int):
        raise call.error("expected an image with at most one unknown size and a fixed number of channels")
    blocks = writer.reshape(call.x, [sizes[0], sizes[1], rows, factor, columns, factor])
    channels = writer.transpose(blocks, [0, 1, 3, 5, 2, 4])
    image = [writer.size(channels, 4), writer.size(channels, 5)]
    return writer.reshape(channels, [sizes[0], sizes[1] * factor * factor, *image])
