"""Resizing, borders and sampling of images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import pad_image
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Names

_METHODS = {
    "nearest": ("nearest_interp_v2", 2),
    "linear": ("linear_interp_v2", 1),
    "bilinear": ("bilinear_interp_v2", 2),
    "bicubic": ("bicubic_interp_v2", 2),
    "trilinear": ("trilinear_interp_v2", 3),
}
"""torch's word → our op and its number of spatial axes."""

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
    """An interp op: to a size, which may be an operand, or by factors."""
    writer, x = call.writer, call.x
    bilinear = call.type in ("nn.UpsamplingBilinear2d", "F.upsample_bilinear")
    mode = call.choice("mode", "bilinear" if bilinear else "nearest", *_METHODS)
    op, axes = _METHODS[mode]
    found = writer.rank(x) - 2
    if found != axes and not (mode == "nearest" and found == 1):
        raise call.error(f"mode {mode} takes {axes} spatial axes, the input has {found}")
    attrs: dict[str, AttrValue] = {"align_corners": call.flag("align_corners", bilinear), "align_mode": 0}
    flat = found == 1 and axes == 2
    inputs: dict[str, Names] = {"X": writer.unary("unsqueeze2", x, {"axes": [2]}) if flat else x}
    ones = [1] if flat else []
    if call.has("size"):
        items = call.sizes("size")
        sizes = [*ones, *(items * found if len(items) == 1 else items)]
        known = [size for size in sizes if isinstance(size, int)]
        if len(sizes) != axes:
            raise call.error(f"argument size: expected {found} sizes, got {items}")
        if len(known) == axes:
            attrs |= dict(zip(_OUT[-axes:], known, strict=True))
        else:
            inputs["SizeTensor"] = [writer.index(size) for size in sizes]
    else:
        attrs["scale"] = [*map(float, ones), *call.reals("scale_factor", found)]
        attrs["ratio_from_sizes"] = call.flag("recompute_scale_factor", False)
    out = writer.one(op, inputs, attrs)
    return writer.unary("squeeze2", out, {"axes": [2]}) if flat else out


@pnnx_op("F.pad")
def pad(call: Call) -> Value:
    """Borders, given from the last axis on; they may be operands and may be negative, which cuts."""
    mode = call.choice("mode", "constant", "constant", "reflect", "replicate", "circular")
    amounts = call.sizes("pad")
    if len(amounts) % 2 or len(amounts) > 2 * call.writer.rank(call.x):
        raise call.error(f"argument pad: expected two numbers for each of some axes, got {amounts}")
    value = call.real("value", 0.0)
    if not all(isinstance(amount, int) for amount in amounts):
        return _pad_by_operands(call, amounts, mode, value)
    numbers = [int(amount) for amount in amounts if isinstance(amount, int)]
    x = _cut(call, numbers)
    grown = [max(number, 0) for number in numbers]
    rank, axes = call.writer.rank(x), len(numbers) // 2
    pairs = [grown[2 * n : 2 * n + 2] for n in reversed(range(axes))]
    if mode == "constant":
        paddings: list[int] = [0, 0] * (rank - axes) + [part for pair in pairs for part in pair]
        return call.writer.unary("pad", x, {"paddings": paddings, "pad_value": value})
    if rank - 2 < axes:
        raise call.error(f"mode {mode} pads spatial axes only, got {axes} axes of {rank}")
    whole = [[0, 0]] * (rank - 2 - axes) + pairs
    return pad_image(call, x, [part for pair in whole for part in pair], mode, rank - 2)


def _cut(call: Call, numbers: Sequence[int]) -> Var:
    """The input without what negative borders take away."""
    rank = call.writer.rank(call.x)
    cuts = [(rank - 1 - n // 2, n % 2, amount) for n, amount in enumerate(numbers) if amount < 0]
    x = call.x
    for axis, behind, amount in cuts:
        start, end = (0, amount) if behind else (-amount, 2**31 - 1)
        attrs: dict[str, AttrValue] = {"axes": [axis], "starts": [start], "ends": [end]}
        x = call.writer.one("slice", {"Input": x}, attrs)
    return x


def _pad_by_operands(call: Call, amounts: Sequence[Value], mode: str, value: float) -> Var:
    """pad3d, which takes its paddings from a tensor: last axis first, as torch gives them."""
    writer = call.writer
    axes = writer.rank(call.x) - 2
    if not 1 <= axes <= 3 or len(amounts) > 2 * axes:
        raise call.error("paddings that are operands are supported on spatial axes only")
    whole = [*amounts, *[0] * (6 - len(amounts))]
    columns = [writer.reshape(writer.index(amount), [1]) for amount in whole]
    new = list(range(2, 5 - axes))
    x = writer.unary("unsqueeze2", call.x, {"axes": new}) if new else call.x
    inputs = {"X": x, "Paddings": writer.one("concat", {"X": columns}, {"axis": 0})}
    padded = writer.one("pad3d", inputs, {"mode": mode, "value": value})
    if not new:
        return padded
    # A squeeze would not know the sizes; the new axes have one element each.
    attrs: dict[str, AttrValue] = {
        "axes": new,
        "starts": [0] * len(new),
        "ends": [1] * len(new),
        "decrease_axis": new,
    }
    return writer.one("slice", {"Input": padded}, attrs)


@pnnx_op("F.grid_sample")
def grid_sample(call: Call) -> Value:
    """grid_sampler."""
    attrs: dict[str, AttrValue] = {
        "mode": call.choice("mode", "bilinear", "bilinear", "nearest"),
        "padding_mode": call.choice("padding_mode", "zeros", "zeros", "border", "reflection"),
        "align_corners": call.flag("align_corners", False),
    }
    return call.writer.one("grid_sampler", {"X": call.x, "Grid": call.tensor("grid")}, attrs)


@pnnx_op("F.unfold", "nn.Unfold")
def unfold(call: Call) -> Value:
    """unfold."""
    down, right = call.integers("padding", 2, [0])
    attrs: dict[str, AttrValue] = {
        "kernel_sizes": call.integers("kernel_size", 2),
        "strides": call.integers("stride", 2, [1]),
        "dilations": call.integers("dilation", 2, [1]),
        "paddings": [down, right, down, right],
    }
    return call.writer.unary("unfold", call.x, attrs)


@pnnx_op("nn.ZeroPad2d", "nn.ConstantPad1d", "nn.ConstantPad2d", "nn.ConstantPad3d")
def constant_pad(call: Call) -> Value:
    """Borders of one value on the spatial axes, given from the last axis on."""
    rank = call.writer.rank(call.x)
    numbers = call.integers("padding", 2 * (rank - 2))
    pairs = [numbers[2 * n : 2 * n + 2] for n in reversed(range(rank - 2))]
    paddings = [0, 0, 0, 0, *np.ravel(pairs).tolist()]
    return call.writer.unary("pad", call.x, {"paddings": paddings, "pad_value": call.real("value", 0.0)})
