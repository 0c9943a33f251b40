"""Ops that take a range of each of some axes: slice and strided_slice."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import NO_LOD, UNKNOWN, Dim, Shape
from lite.ops.schema import LOD_BY_RULE, ints, op
from lite.ops.shape_input import elements
from lite.ops.view import Meta, OpView


def slice_of(start: int, end: int, *, size: int, decreased: bool) -> slice:
    """The Python slice of slice's start and end on an axis of `size`.

    Both count from the back where negative and are clamped; a decreased axis from -1 to 0 is its last
    element, as an index tensor of -1 gives it.
    """
    if decreased and start == -1 and end == 0:
        end = size
    return slice(start, end)


def strided_slice_of(start: int, end: int, stride: int, size: int) -> slice:
    """The Python slice of strided_slice's range; end -1 with a negative stride is before the first."""
    if stride < 0 and end == -1:
        return slice(start, -size - 1, stride)
    return slice(start, end, stride)


def without(dims: Sequence[Dim], axes: Sequence[int]) -> Shape:
    """The dimensions that are not on `axes`."""
    dropped = {axis % len(dims) for axis in axes}
    return tuple(dim for axis, dim in enumerate(dims) if axis not in dropped)


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
    _check_axes(op, "axes", axes, x)
    for n, axis in enumerate(axes):
        start, end = _nth(op, "starts", starts, n), _nth(op, "ends", ends, n)
        dims[axis] = _sliced(dims[axis], start, end, decreased=axis in decreased)
        if axis in decreased and dims[axis] not in (1, UNKNOWN):
            raise op.error("attribute decrease_axis", f"one element on axis {axis}", dims[axis])
    return Meta(x.dtype, without(dims, decreased), lod=NO_LOD if 0 in axes else x.lod)


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


def _check_axes(op: OpView, name: str, axes: Sequence[int], x: Meta) -> None:
    outside = [axis for axis in axes if not -x.rank <= axis < x.rank]
    if outside:
        raise op.error(f"attribute {name}", f"axes of {x}", outside)


def _strided_slice(op: OpView) -> Meta:
    x = op["Input"]
    axes, decreased = op.integers("axes"), op.integers("decrease_axis")
    _check_axes(op, "axes", axes, x)
    numbers = {
        name: elements(op, name, f"{name.title()}Tensor", f"{name.title()}TensorList")
        for name in ("starts", "ends", "strides")
    }
    dims = list(x.dims)
    for n, axis in enumerate(axes):
        start, end, stride = (_nth(op, name, found, n) for name, found in numbers.items())
        dims[axis] = _strided(op, x.dims[axis], start, end, stride)
    return Meta(x.dtype, without(dims, decreased), lod=NO_LOD if 0 in axes else x.lod)


def _strided(op: OpView, dim: Dim, start: int | None, end: int | None, stride: int | None) -> Dim:
    if stride == 0:
        raise op.error("strides", "a stride that is not 0", stride)
    if start is None or end is None or stride is None or isinstance(dim, str):
        return UNKNOWN
    return _length(strided_slice_of(start, end, stride, dim), dim)


def dynamic_box(
    size: int, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int], steps: Sequence[int]
) -> list[slice]:
    """The Python slices that dynamic_slice takes of a tensor of `size` axes.

    `axes` and `steps` may be empty: the first axes, steps of 1.
    """
    box = [slice(None)] * size
    for n, (start, end) in enumerate(zip(starts, ends, strict=True)):
        box[axes[n] if axes else n] = slice(start, end, steps[n] if steps else 1)
    return box


def _dynamic_slice(op: OpView) -> Meta:
    x = op["Input"]
    given = [op.values(slot) for slot in ("Starts", "Ends", "Axes", "Steps")]
    starts, ends, axes, steps = given
    if axes is None and op.get("Axes") is not None:
        return Meta(x.dtype, (UNKNOWN,) * x.rank)
    if starts is None or ends is None or (steps is None and op.get("Steps") is not None):
        count = op["Starts"].dims[0]
        touched = axes or list(range(count if isinstance(count, int) else x.rank))
        return Meta(x.dtype, _unknown_at(x, touched))
    if len(starts) != len(ends) or any(part and len(part) != len(starts) for part in (axes, steps)):
        raise op.error("Ends, Axes, Steps", f"{len(starts)} numbers like Starts", given[1:])
    _check_axes(op, "Axes", axes or range(len(starts)), x)
    if steps and 0 in steps:
        raise op.error("slot Steps", "steps that are not 0", steps)
    box = dynamic_box(x.rank, starts, ends, axes or [], steps or [])
    dims = [
        dim if cut == slice(None) else _length(cut, dim) if isinstance(dim, int) else UNKNOWN
        for dim, cut in zip(x.dims, box, strict=True)
    ]
    return Meta(x.dtype, tuple(dims))


def _unknown_at(x: Meta, axes: Sequence[int]) -> Shape:
    places = {axis % x.rank for axis in axes}
    return tuple(UNKNOWN if axis in places else dim for axis, dim in enumerate(x.dims))


op(
    "slice",
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
)
op(
    "strided_slice",
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
)
# ONNX Slice whose axes, or steps of either sign, are known only at run time.
op(
    "dynamic_slice",
    "Input Starts:index/1 Ends:index/1 Axes?:index/1 Steps?:index/1",
    "Out",
    _dynamic_slice,
)
