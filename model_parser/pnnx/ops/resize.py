"""Resizing of images."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Names

_METHODS = {
    "nearest": ("nearest_interp_v2", 2),
    "linear": ("linear_interp_v2", 1),
    "bilinear": ("bilinear_interp_v2", 2),
    "bicubic": ("bicubic_interp_v2", 2),
    "trilinear": ("trilinear_interp_v2", 3),
}
"""torch's mode → op and its number of spatial axes."""

_NEAREST = {
    "nearest": {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
    "nearest-exact": {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"},
}
"""torch's mode → the attributes of `resize`."""

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
    mode = call.choice("mode", "bilinear" if bilinear else "nearest", *_METHODS, "nearest-exact")
    rank = writer.rank(x) - 2
    if mode == "nearest-exact" or (mode == "nearest" and rank == 3):
        return nearest(call, mode)
    op, axes = _METHODS[mode]
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


def nearest(call: Call, mode: str) -> Var:
    """`resize` to the nearest elements, over any number of spatial axes."""
    writer, x = call.writer, call.x
    axes = writer.rank(x) - 2
    attrs: dict[str, AttrValue] = {"mode": "nearest", "axes": [*range(2, axes + 2)], **_NEAREST[mode]}
    if call.has("size") or call.flag("recompute_scale_factor", False):
        return writer.emit_one("resize", {"X": x, "Sizes": writer.vector(_sizes(call, axes))}, attrs)
    scales = writer.constant(np.array(call.reals("scale_factor", axes), np.float32))
    return writer.emit_one("resize", {"X": x, "Scales": scales}, attrs)


def _sizes(call: Call, axes: int) -> list[Value]:
    """The sizes of the output, given or by factors, whose products are rounded down."""
    if call.has("size"):
        sizes = call.sizes("size")
        return sizes * axes if len(sizes) == 1 else sizes
    writer = call.writer
    sizes = [writer.size(call.x, axis) for axis in range(2, axes + 2)]
    pairs = zip(sizes, call.reals("scale_factor", axes), strict=True)
    return [arithmetic.whole(writer, arithmetic.binary(writer, "mul", *pair)) for pair in pairs]
