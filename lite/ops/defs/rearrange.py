"""Ops that exchange channels and pixels, add up patches, or gate one half of the channels by the other."""

from __future__ import annotations

from lite.ir.types import Dim
from lite.ops.attrs import choice, ints, number
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import apply, checked_axis
from lite.ops.schema import op
from lite.ops.view import Meta, OpView
from lite.ops.window import channels, image_shape, spatial

_LAYOUT = choice("NCHW", "NHWC")


def _divided(op: OpView, dim: Dim, parts: int, where: str) -> Dim:
    if isinstance(dim, int) and dim % parts:
        raise op.error(where, f"sizes that {parts} divides", op[where])
    return apply(dim, lambda size: size // parts)


def _pixel_unshuffle(op: OpView) -> Meta:
    x, factor, layout = op["X"], op.integer("downscale_factor"), op.text("data_format")
    sizes = [_divided(op, dim, factor, "X") for dim in spatial(layout, x.dims)]
    count = apply(channels(layout, x.dims), lambda n: n * factor * factor)
    return Meta(x.dtype, image_shape(layout, x.dims[0], count, sizes))


def _channel_shuffle(op: OpView) -> Meta:
    _divided(op, channels(op.text("data_format"), op["X"].dims), op.integer("groups"), "X")
    return Meta(op["X"].dtype, op["X"].shape)


def _fold(op: OpView) -> Meta:
    x, kernel = op["X"], op.integers("kernel_sizes")
    count = _divided(op, x.dims[1], kernel[0] * kernel[1], "X")
    return Meta(x.dtype, (x.dims[0], count, *op.integers("output_sizes")))


def _maxout(op: OpView) -> Meta:
    x, groups = op["X"], op.integer("groups")
    axis = checked_axis(op, x, op.integer("axis"), "attribute axis")
    return Meta(x.dtype, (*x.dims[:axis], _divided(op, x.dims[axis], groups, "X"), *x.dims[axis + 1 :]))


def _swiglu(op: OpView) -> Meta:
    x, y = op["x"], op.get("y")
    if y is not None:
        return Meta(x.dtype, broadcast_right(op, x.dims, y.dims))
    return Meta(x.dtype, (*x.dims[:-1], _divided(op, x.dims[-1], 2, "x")))


op(
    "pixel_unshuffle",
    "Blocks of pixels moved into channels.",
    "X/4",
    "Out",
    _pixel_unshuffle,
    attrs={"downscale_factor": number(1, 1), "data_format": _LAYOUT},
)
op(
    "channel_shuffle",
    "Channels of several groups, one of each group in turn.",
    "X/4",
    "Out",
    _channel_shuffle,
    attrs={"groups": number(1, 1), "data_format": _LAYOUT},
)
op(
    "fold",
    "Images that are the sums of overlapping patches, the columns of X.",
    "X:float/3",
    "Y",
    _fold,
    attrs={
        "output_sizes": ints(),
        "kernel_sizes": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0, 0, 0),
        "dilations": ints(1, 1),
    },
)
op(
    "maxout",
    "The maximum of each group of neighbouring channels.",
    "X:float",
    "Out",
    _maxout,
    attrs={"groups": number(1, 1), "axis": 1},
)
op("swiglu", "swish(x) · y, where y may be the second half of x.", "x:float y?:float", "out", _swiglu)
