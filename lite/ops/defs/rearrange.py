"""Ops that move channels or patches of images without computing."""

from lite.ir.types import UNKNOWN, Dim
from lite.ops.rules import apply, same_as, total
from lite.ops.schema import choice, ints, number, op
from lite.ops.view import Meta, OpView
from lite.ops.window import channels, check_windows, image_shape, spatial, windows


def _pixel_shuffle(op: OpView) -> Meta:
    x, factor, layout = op["X"].dims, op.integer("upscale_factor"), op.text("data_format")
    channel = channels(layout, x)
    if isinstance(channel, int) and channel % factor**2:
        raise op.error("X", f"a multiple of {factor**2} channels", op["X"])
    sizes = [apply(size, lambda n: n * factor) for size in spatial(layout, x)]
    return Meta(op["X"].dtype, image_shape(layout, x[0], apply(channel, lambda n: n // factor**2), sizes))


def _unfold(op: OpView) -> Meta:
    check_windows(op, 2, ("kernel_sizes", "strides", "dilations"))
    n, channel, *image = op["X"].dims
    kernel = op.integers("kernel_sizes")
    found = windows(image, kernel, op.integers("strides"), op.integers("dilations"), _sides(op), "EXPLICIT")
    positions = total([window.out(size) for window, size in zip(found, image, strict=True)])
    return Meta(op["X"].dtype, (n, apply(channel, lambda c: c * kernel[0] * kernel[1]), positions))


def _sides(op: OpView) -> list[int]:
    return sides(op.integers("paddings"))


def sides(paddings: list[int]) -> list[int]:
    """Paddings top, left, bottom, right (or one number per axis) as top, bottom, left, right."""
    if len(paddings) == 2:
        return paddings
    top, left, bottom, right = paddings
    return [top, bottom, left, right]


def _im2sequence(op: OpView) -> Meta:
    check_windows(op, 2, ("kernels", "strides"))
    n, channel, *image = op["X"].dims
    kernel = op.integers("kernels")
    rows: Dim = UNKNOWN
    if op.get("Y") is None:
        found = windows(image, kernel, op.integers("strides"), (1, 1), _sides(op), "EXPLICIT")
        rows = total([n, *(window.out(size) for window, size in zip(found, image, strict=True))])
    return Meta(op["X"].dtype, (rows, apply(channel, lambda c: c * kernel[0] * kernel[1])))


op(
    "pixel_shuffle",
    "X/4",
    "Out",
    _pixel_shuffle,
    attrs={"upscale_factor": number(1, 1), "data_format": choice("NCHW", "NHWC")},
)
op("shuffle_channel", "X/4", "Out", same_as("X"), attrs={"group": number(1, 1)})
op(
    "temporal_shift",
    "X/4",
    "Out",
    same_as("X"),
    attrs={"seg_num": number(1, 1), "shift_ratio": 0.25, "data_format": choice("NCHW", "NHWC")},
)
op(
    "unfold",
    "X/4",
    "Y",
    _unfold,
    attrs={
        "kernel_sizes": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0, 0, 0),
        "dilations": ints(1, 1),
    },
)
op(
    "im2sequence",
    "X/4 Y?",
    "Out",
    _im2sequence,
    attrs={
        "kernels": ints(1, 1),
        "strides": ints(1, 1),
        "paddings": ints(0, 0, 0, 0),
        "out_stride": ints(1, 1),
    },
    lod="kernel",
)
