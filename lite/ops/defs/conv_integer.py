"""Convolutions of integers with zero points, after ONNX ConvInteger and QLinearConv."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.schema import Attr, choice, ints, number, op
from lite.ops.view import Meta, OpView
from lite.ops.window import Window

ATTRS: dict[str, AttrValue | Attr] = {
    "auto_pad": choice("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
    "dilations": ints(),
    "group": number(1, 1),
    "pads": ints(),
    "strides": ints(),
}


def found_windows(
    image: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: list[int],
    dilations: list[int],
    pads: list[int],
    auto_pad: str,
) -> list[Window]:
    """The windows over an image; empty lists are ONNX's defaults, `pads` all before, then all after."""
    rank = len(image)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads if pads and auto_pad == "NOTSET" else [0] * (2 * rank)
    found = []
    for axis, (size, k, s, d) in enumerate(zip(image, kernel, strides, dilations, strict=True)):
        before, after = pads[axis], pads[axis + rank]
        if auto_pad.startswith("SAME"):
            total = max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
            before, after = total // 2, total - total // 2
            before, after = (before, after) if auto_pad == "SAME_UPPER" else (after, before)
        found.append(Window(k, s, d, before, after))
    return found


def _shape(op: OpView) -> tuple[Dim, ...] | None:
    if op["X"].shape is None or op["Filter"].shape is None:
        return None
    x, weight = op["X"].dims, op["Filter"].dims
    image = tuple(size for size in x[2:] if isinstance(size, int))
    kernel = tuple(size for size in weight[2:] if isinstance(size, int))
    if len(image) != len(x) - 2 or len(kernel) != len(image):
        return (x[0], weight[0], *[UNKNOWN] * (len(x) - 2))
    strides, dilations, pads = (op.integers(name) for name in ("strides", "dilations", "pads"))
    found = found_windows(image, kernel, strides, dilations, pads, op.text("auto_pad"))
    return (x[0], weight[0], *(w.out(size) for w, size in zip(found, image, strict=True)))


def _integer(op: OpView) -> Meta:
    return Meta(DType.INT32, _shape(op))


def _quantized(op: OpView) -> Meta:
    return Meta(op["OutZeroPoint"].dtype, _shape(op))


op(
    "conv_integer",
    "X:int/3- Filter:int/3- XZeroPoint?:int FilterZeroPoint?:int",
    "Out",
    _integer,
    attrs=ATTRS,
)
op(
    "qlinear_conv",
    "X:int/3- XScale:float XZeroPoint:int Filter:int/3- FilterScale:float FilterZeroPoint:int "
    "OutScale:float OutZeroPoint:int Bias?:int",
    "Out",
    _quantized,
    attrs=ATTRS,
)
