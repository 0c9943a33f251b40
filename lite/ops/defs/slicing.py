"""Ops that cut ranges and boxes out of tensors, add borders, or replace ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, UNKNOWN, Dim, Shape
from lite.ops.attrs import choice, ints, longs
from lite.ops.new_shape import cropped, without_axes
from lite.ops.ranges import dynamic_box, pad_pairs, slice_of, strided_slice_of
from lite.ops.rules import apply, check_axes
from lite.ops.schema import LOD_BY_RULE, Canonical, Trait, op
from lite.ops.shape_input import elements
from lite.ops.value_attrs import VALUE_ATTRS
from lite.ops.view import Meta, OpView
from lite.ops.window import spatial_axes


def _length(cut: slice, dim: int) -> int:
    return len(range(*cut.indices(dim)))


def _slice(op: OpView) -> Meta:
    x = op["Input"]
    axes, decreased = op.integers("axes"), op.integers("decrease_axis")
    if x.is_array:
        return Meta(x.dtype, None, is_array=not decreased)
    starts = elements(op, "starts", "StartsTensor", "StartsTensorList")
    ends = elements(op, "ends", "EndsTensor", "EndsTensorList")
    dims = list(x.dims)
    check_axes(op, "axes", axes, x)
    for n, axis in enumerate(axes):
        start, end = _nth(op, "starts", starts, n), _nth(op, "ends", ends, n)
        dims[axis] = _sliced(dims[axis], start, end, decreased=axis in decreased)
        if axis in decreased and dims[axis] not in (1, UNKNOWN):
            raise op.error("attribute decrease_axis", f"one element on axis {axis}", dims[axis])
    return Meta(x.dtype, without_axes(dims, decreased), lod=NO_LOD if 0 in axes else x.lod)


def _sliced(dim: Dim, start: int | None, end: int | None, *, decreased: bool) -> Dim:
    if start is None or end is None:
        return UNKNOWN
    if isinstance(dim, int):
        return _length(slice_of(start, end, size=dim, decreased=decreased), dim)
    return dim if start == 0 and end >= 2**31 - 1 else UNKNOWN


def _nth(op: OpView, name: str, numbers: Sequence[int | None] | None, n: int) -> int | None:
    if numbers is None:
        return None
    if n >= len(numbers):
        raise op.error(name, "a number for each axis", list(numbers))
    return numbers[n]


def _strided_slice(op: OpView) -> Meta:
    x = op["Input"]
    axes, decreased = op.integers("axes"), op.integers("decrease_axis")
    check_axes(op, "axes", axes, x)
    numbers = {
        name: elements(op, name, f"{name.title()}Tensor", f"{name.title()}TensorList")
        for name in ("starts", "ends", "strides")
    }
    dims = list(x.dims)
    for n, axis in enumerate(axes):
        start, end, stride = (_nth(op, name, values, n) for name, values in numbers.items())
        dims[axis] = _strided(op, x.dims[axis], start, end, stride)
    return Meta(x.dtype, without_axes(dims, decreased), lod=NO_LOD if 0 in axes else x.lod)


def _strided(op: OpView, dim: Dim, start: int | None, end: int | None, stride: int | None) -> Dim:
    if stride == 0:
        raise op.error("strides", "a stride that is not 0", stride)
    if start is None or end is None or stride is None or isinstance(dim, str):
        return UNKNOWN
    return _length(strided_slice_of(start, end, stride, dim), dim)


def _dynamic_slice(op: OpView) -> Meta:
    x = op["Input"]
    starts, ends, axes, steps = (op.values(slot) for slot in ("Starts", "Ends", "Axes", "Steps"))
    if axes is None and op.get("Axes") is not None:
        return Meta(x.dtype, (UNKNOWN,) * x.rank)
    if starts is None or ends is None or (steps is None and op.get("Steps") is not None):
        count = op["Starts"].dims[0]
        touched = axes or list(range(count if isinstance(count, int) else x.rank))
        return Meta(x.dtype, _unknown_at(x, touched))
    if len(starts) != len(ends) or any(part and len(part) != len(starts) for part in (axes, steps)):
        raise op.error("Ends, Axes, Steps", f"{len(starts)} numbers like Starts", [ends, axes, steps])
    check_axes(op, "Axes", axes or range(len(starts)), x)
    if steps and 0 in steps:
        raise op.error("slot Steps", "steps that are not 0", steps)
    box = dynamic_box(x.dims, starts, ends, axes or [], steps or [])
    dims = [
        dim if cut == slice(None) else _length(cut, dim) if isinstance(dim, int) else UNKNOWN
        for dim, cut in zip(x.dims, box, strict=True)
    ]
    return Meta(x.dtype, tuple(dims))


def _unknown_at(x: Meta, axes: Sequence[int]) -> Shape:
    unknown = {axis % x.rank for axis in axes}
    return tuple(UNKNOWN if axis in unknown else dim for axis, dim in enumerate(x.dims))


op(
    "slice",
    "Ranges of some axes.",
    "Input StartsTensor?:index EndsTensor?:index StartsTensorList?*:index EndsTensorList?*:index",
    "Out",
    _slice,
    attrs={"axes": ints(), "starts": ints(), "ends": ints(), "decrease_axis": ints(), "infer_flags": ints()},
    attr_slots={
        "StartsTensorList": "starts",
        "StartsTensor": "starts",
        "EndsTensorList": "ends",
        "EndsTensor": "ends",
    },
    lod=LOD_BY_RULE,
    traits=(Trait.MOVEMENT,),
)
op(
    "strided_slice",
    "Ranges of some axes with strides.",
    "Input StartsTensor?:index EndsTensor?:index StridesTensor?:index "
    "StartsTensorList?*:index EndsTensorList?*:index StridesTensorList?*:index",
    "Out",
    _strided_slice,
    attrs={
        "axes": ints(),
        "starts": ints(),
        "ends": ints(),
        "strides": ints(),
        "decrease_axis": ints(),
        "infer_flags": ints(),
    },
    attr_slots={
        "StartsTensorList": "starts",
        "StartsTensor": "starts",
        "EndsTensorList": "ends",
        "EndsTensor": "ends",
        "StridesTensorList": "strides",
        "StridesTensor": "strides",
    },
    lod=LOD_BY_RULE,
    traits=(Trait.MOVEMENT,),
)
# For axes, or steps of either sign, that are known at run time only.
op(
    "dynamic_slice",
    "Ranges along axes, all from tensors, after ONNX Slice.",
    "Input Starts:index/1 Ends:index/1 Axes?:index/1 Steps?:index/1",
    "Out",
    _dynamic_slice,
    traits=(Trait.MOVEMENT,),
)


def _crop(op: OpView) -> Meta:
    x = op["X"]
    offsets = elements(op, "offsets", "Offsets")
    shape = op.integers("shape") if op.get("Y") is None else op["Y"].shape
    if shape is None:
        return Meta(x.dtype, (UNKNOWN,) * x.rank)
    sizes = [size if isinstance(size, int) else None for size in shape]
    return Meta(x.dtype, cropped(op.op, x.dims, sizes, offsets or [0] * x.rank))


def _crop_tensor(op: OpView) -> Meta:
    x = op["X"]
    sizes = elements(op, "shape", "Shape", "ShapeTensor")
    offsets = elements(op, "offsets", "Offsets", "OffsetsTensor")
    unknown = [None] * x.rank
    return Meta(x.dtype, cropped(op.op, x.dims, sizes or unknown, offsets or [0] * x.rank))


op(
    "crop",
    "Cuts a box out of a tensor.",
    "X Y? Offsets?:index",
    "Out",
    _crop,
    attrs={"offsets": ints(), "shape": ints()},
    attr_slots={"Offsets": "offsets"},
    traits=(Trait.MOVEMENT,),
)
op(
    "crop_tensor",
    "Cuts a box out of a tensor.",
    "X Shape?:index ShapeTensor?*:index Offsets?:index OffsetsTensor?*:index",
    "Out",
    _crop_tensor,
    attrs={"offsets": ints(), "shape": ints()},
    attr_slots={
        "ShapeTensor": "shape",
        "Shape": "shape",
        "OffsetsTensor": "offsets",
        "Offsets": "offsets",
    },
    traits=(Trait.MOVEMENT,),
)


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


def _pad_nd(op: OpView) -> Meta:
    x = op["X"]
    axes = op.integers("axes") if op.get("Axes") is None else op.values("Axes")
    pads = op.integers("paddings") if op.get("Paddings") is None else op.values("Paddings")
    if axes is None:
        return Meta(x.dtype, (UNKNOWN,) * x.rank)
    chosen = [axis % x.rank for axis in axes] or list(range(x.rank))
    if pads is None:
        return Meta(x.dtype, _unknown_at(x, chosen))
    return _padded(op, x.dims, pad_pairs(pads), chosen)


def _pad(op: OpView) -> Meta:
    dims = op["X"].dims
    return _padded(op, dims, op.integers("paddings"), range(len(dims)))


def _pad_image(op: OpView) -> Meta:
    """pad2d has the rows first, pad3d the columns."""
    x = op["X"]
    axes = spatial_axes(op.text("data_format"), x.rank)
    paddings = op.integers("paddings") if op.get("Paddings") is None else op.values("Paddings")
    if paddings is None:
        return Meta(x.dtype, _unknown_at(x, axes))
    return _padded(op, x.dims, paddings, axes if op.op == "pad2d" else axes[::-1])


def _pad_as_nd(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    pairs = _integers(attrs["paddings"])
    return {
        "paddings": pairs[::2] + pairs[1::2],
        "axes": list(range(len(pairs) // 2)),
        "value": attrs["pad_value"],
    }


def _pad2d_as_nd(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    pairs = _integers(attrs["paddings"])
    return {
        "paddings": pairs[::2] + pairs[1::2],
        "axes": spatial_axes(str(attrs["data_format"]), 4),
        "mode": attrs["mode"],
        "value": attrs["pad_value"],
    }


def _pad3d_as_nd(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    pairs, mode = _integers(attrs["paddings"]), str(attrs["mode"])
    return {
        "paddings": pairs[::2] + pairs[1::2],
        "axes": spatial_axes(str(attrs["data_format"]), 5)[::-1],
        "mode": {"replicate": "edge", "circular": "wrap"}.get(mode, mode),
        "value": attrs["value"],
    }


def _integers(value: AttrValue) -> list[int]:
    return [int(item) for item in value if isinstance(item, int)] if isinstance(value, list) else []


# The paddings are those before each of `axes` (empty: all), then those after; negative ones cut.
op(
    "pad_nd",
    "Pads or cuts any axes with constants, edges, reflections or the other end, after ONNX Pad.",
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
op(
    "pad",
    "Old spelling of pad_nd, for constants on all axes.",
    "X",
    "Out",
    _pad,
    attrs={"paddings": ints(), "pad_value": 0.0},
    canonical=Canonical("pad_nd", _pad_as_nd),
)
op(
    "pad2d",
    "Old spelling of pad_nd, for the height and width of images.",
    "X/4 Paddings?:index/1",
    "Out",
    _pad_image,
    attrs={
        "paddings": ints(0, 0, 0, 0),
        "mode": choice("constant", "reflect", "edge"),
        "pad_value": 0.0,
        "data_format": choice("NCHW", "NHWC"),
    },
    canonical=Canonical("pad_nd", _pad2d_as_nd),
    attr_slots={"Paddings": "paddings"},
)
op(
    "pad3d",
    "Old spelling of pad_nd, for the depth, height and width of volumes.",
    "X/5 Paddings?:index/1",
    "Out",
    _pad_image,
    attrs={
        "paddings": ints(0, 0, 0, 0, 0, 0),
        "mode": choice("constant", "reflect", "replicate", "circular"),
        "value": 0.0,
        "data_format": choice("NCDHW", "NDHWC"),
    },
    canonical=Canonical("pad_nd", _pad3d_as_nd),
    attr_slots={"Paddings": "paddings"},
)


def _set_value(op: OpView) -> Meta:
    x = op["Input"]
    check_axes(op, "axes", op.integers("axes"), x)
    return Meta(x.dtype, x.shape)


op(
    "set_value",
    "Input with a slice replaced by values.",
    "Input ValueTensor? StartsTensorList?*:index EndsTensorList?*:index StepsTensorList?*:index",
    "Out",
    _set_value,
    attrs={
        "axes": longs(),
        "starts": longs(),
        "ends": longs(),
        "steps": longs(),
        "decrease_axes": longs(),
        "none_axes": longs(),
        "shape": longs(),
        "dtype": 5,
        **VALUE_ATTRS,
    },
    lod="Input",
    inplace={"Out": "Input"},
    attr_slots={"StartsTensorList": "starts", "EndsTensorList": "ends", "StepsTensorList": "steps"},
)
