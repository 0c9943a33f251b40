"""Resizing of images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Names, Writer

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
    mode = call.choice("mode", "bilinear" if bilinear else "nearest", *_METHODS, "nearest-exact")
    rank = writer.rank(x) - 2
    if mode == "nearest-exact":
        return _nearest_exact(call)
    if mode == "nearest" and rank == 3:
        return _nearest_of_volume(call)
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


def _nearest_exact(call: Call) -> Var:
    """`resize` to the elements nearest to the centres, over any number of spatial axes."""
    writer, x = call.writer, call.x
    axes = writer.rank(x) - 2
    attrs: dict[str, AttrValue] = {
        "mode": "nearest",
        "axes": [*range(2, axes + 2)],
        "coordinate_transformation_mode": "half_pixel",
        "nearest_mode": "round_prefer_ceil",
    }
    if call.has("size") or call.flag("recompute_scale_factor", False):
        return writer.emit_one("resize", {"X": x, "Sizes": writer.vector(_sizes(call, axes))}, attrs)
    scales = writer.constant(np.array(call.reals("scale_factor", axes), np.float32))
    return writer.emit_one("resize", {"X": x, "Scales": scales}, attrs)


def _nearest_of_volume(call: Call) -> Var:
    """`nearest_interp_v2` of the planes, and then along the depth."""
    writer = call.writer
    batch, channels, *image = (writer.size(call.x, axis) for axis in range(5))
    numbers: list[Value]
    if call.has("size") or call.flag("recompute_scale_factor", False):
        given, numbers = "size", _sizes(call, 3)
    else:
        given, numbers = "scale_factor", [*call.reals("scale_factor", 3)]
    planes = writer.reshape(call.x, [batch, -1, *image[1:]])
    planes = _nearest(writer, planes, given, numbers[1:])
    rows, columns = (writer.size(planes, axis) for axis in (2, 3))
    width = arithmetic.binary(writer, "mul", rows, columns)
    deep = writer.reshape(planes, [batch, channels, image[0], width])
    deep = _nearest(writer, deep, given, [numbers[0], width if given == "size" else 1.0])
    return writer.reshape(deep, [batch, channels, writer.size(deep, 2), rows, columns])


def _nearest(writer: Writer, x: Var, given: str, numbers: Sequence[Value]) -> Var:
    attrs: dict[str, AttrValue] = {"align_corners": False}
    if given == "scale_factor":
        attrs["scale"] = [number for number in numbers if isinstance(number, float)]
        return writer.unary("nearest_interp_v2", x, attrs)
    inputs: dict[str, Names] = {"X": x, "SizeTensor": [writer.index(number) for number in numbers]}
    return writer.emit_one("nearest_interp_v2", inputs, attrs)


def _sizes(call: Call, axes: int) -> list[Value]:
    """The sizes of the output, given or by factors, whose products are rounded down."""
    if call.has("size"):
        sizes = call.sizes("size")
        return sizes * axes if len(sizes) == 1 else sizes
    writer = call.writer
    sizes = [writer.size(call.x, axis) for axis in range(2, axes + 2)]
    pairs = zip(sizes, call.reals("scale_factor", axes), strict=True)
    return [arithmetic.whole(writer, arithmetic.binary(writer, "mul", *pair)) for pair in pairs]


@pnnx_op("aten::_upsample_bilinear2d_aa", "aten::_upsample_bicubic2d_aa")
def antialiased(call: Call) -> Value:
    """`resize` with antialias; the inputs are the image, the size and ``align_corners``."""
    size, align_corners = call.value(1), call.value(2)
    if not isinstance(size, list) or len(size) != 2:
        raise call.error(f"input 1: expected the two sizes of the output, got {size!r}")
    if align_corners:
        raise call.error("align_corners is not supported with antialias")
    attrs: dict[str, AttrValue] = {
        "mode": "cubic" if "bicubic" in call.type else "linear",
        "coordinate_transformation_mode": "half_pixel",
        "cubic_coeff_a": -0.5,
        "antialias": True,
        "exclude_outside": True,
        "axes": [2, 3],
    }
    return call.writer.emit_one("resize", {"X": call.x, "Sizes": call.writer.vector(size)}, attrs)
