"""Borders around tensors and images."""

from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Dim, Shape
from lite.ops.rules import apply
from lite.ops.schema import choice, ints, op
from lite.ops.view import Meta, OpView


def _grown(dim: Dim, amount: int) -> Dim:
    return dim if amount == 0 else apply(dim, lambda size: size + amount)


def _padded(op: OpView, dims: Shape, paddings: Sequence[int], axes: Sequence[int]) -> Meta:
    """`paddings` has before and after for each of `axes`."""
    if len(paddings) != 2 * len(axes):
        raise op.error("paddings", f"{2 * len(axes)} numbers", list(paddings))
    shape = list(dims)
    for n, axis in enumerate(axes):
        shape[axis] = _grown(shape[axis], paddings[2 * n] + paddings[2 * n + 1])
    return Meta(op["X"].dtype, tuple(shape))


def _pad(op: OpView) -> Meta:
    dims = op["X"].dims
    return _padded(op, dims, op.integers("paddings"), range(len(dims)))


def image_axes(data_format: str, rank: int) -> list[int]:
    """The spatial axes of an image of this format, first to last."""
    return list(range(1, rank - 1)) if data_format.endswith("C") else list(range(2, rank))


def _image(op: OpView, axes: Sequence[int]) -> Meta:
    dims = op["X"].dims
    if op.get("Paddings") is None:
        return _padded(op, dims, op.integers("paddings"), axes)
    values = op.values("Paddings")
    if values is None:
        return Meta(op["X"].dtype, tuple(UNKNOWN if n in axes else dim for n, dim in enumerate(dims)))
    return _padded(op, dims, values, axes)


def _pad2d(op: OpView) -> Meta:
    return _image(op, image_axes(op.text("data_format"), 4))


def _pad3d(op: OpView) -> Meta:
    return _image(op, image_axes(op.text("data_format"), 5)[::-1])


def _pad_nd(op: OpView) -> Meta:
    x = op["X"]
    axes = op.integers("axes") if op.get("Axes") is None else op.values("Axes")
    pads = op.integers("paddings") if op.get("Paddings") is None else op.values("Paddings")
    if pads is None or axes is None:
        return Meta(x.dtype, (UNKNOWN,) * x.rank)
    chosen = [axis % x.rank for axis in axes] or list(range(x.rank))
    return _padded(op, x.dims, pad_pairs(pads), chosen)


def pad_pairs(pads: Sequence[int]) -> list[int]:
    """What goes before all axes, then behind all, as pairs for each axis."""
    half = len(pads) // 2
    return [number for pair in zip(pads[:half], pads[half:], strict=False) for number in pair]


# ONNX Pad: the paddings are those before each of `axes` (empty: all), then those behind; negative ones cut.
op(
    "pad_nd",
    "X Paddings?:index/1 Value? Axes?:index/1",
    "Out",
    _pad_nd,
    attrs={
        "paddings": ints(),
        "mode": choice("constant", "reflect", "edge", "wrap"),
        "value": 0.0,
        "axes": ints(),
    },
    attr_slots={"Paddings": "paddings", "Axes": "axes"},
)
op("pad", "X", "Out", _pad, attrs={"paddings": ints(), "pad_value": 0.0})
op(
    "pad2d",
    "X/4 Paddings?:int",
    "Out",
    _pad2d,
    attrs={
        "paddings": ints(0, 0, 0, 0),
        "mode": choice("constant", "reflect", "edge"),
        "pad_value": 0.0,
        "data_format": choice("NCHW", "NHWC"),
    },
    attr_slots={"Paddings": "paddings"},
)
op(
    "pad3d",
    "X/5 Paddings?:int",
    "Out",
    _pad3d,
    attrs={
        "paddings": ints(0, 0, 0, 0, 0, 0),
        "mode": choice("constant", "reflect", "replicate", "circular"),
        "value": 0.0,
        "data_format": choice("NCDHW", "NDHWC"),
    },
    attr_slots={"Paddings": "paddings"},
)
