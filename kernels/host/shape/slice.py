"""Ranges and boxes: slice, strided_slice, dynamic_slice, crop and crop_tensor."""

from typing import Any

from lite.ops.new_shape import cropped
from lite.ops.ranges import crop_offsets, dynamic_box, slice_of, strided_slice_of
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, is_tensor_array, kernel, write


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    """A copy of a box that is computed once."""
    x, y, attrs = ctx.inputs["Input"][0], ctx.outputs["Out"][0], ctx.attrs
    if {slot for slot, metas in ctx.inputs.items() if metas} != {"Input"}:
        return None
    sizes, shape = x.sizes, y.sizes
    box = [slice(None)] * len(sizes)
    decreased = attrs.integers("decrease_axis")
    for axis, start, end in zip(
        attrs.integers("axes"), attrs.integers("starts"), attrs.integers("ends"), strict=False
    ):
        box[axis] = slice_of(start, end, size=sizes[axis], decreased=axis in decreased)
    index = tuple(box)

    def run(Input: Array, *_: Any, out: Array | None = None) -> Array:
        part = Input[index].reshape(shape)
        return part.copy() if out is None else write(out, part)

    return run


@kernel("slice", prepare=_prepare)
def slice_(
    Input: Array | list[Array],
    StartsTensor: Array | None,
    EndsTensor: Array | None,
    StartsTensorList: list[Array] | None,
    EndsTensorList: list[Array] | None,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    decrease_axis: list[int],
    out: Array | None = None,
) -> Array | list[Array]:
    """Paddle slice: a box of Input, without the axes of `decrease_axis`.

    For a tensor array, a range of its elements or, with `decrease_axis`, one element.
    """
    starts = integers(starts, StartsTensor, StartsTensorList)
    ends = integers(ends, EndsTensor, EndsTensorList)
    if is_tensor_array(Input):
        picked = Input[slice_of(starts[0], ends[0], size=len(Input), decreased=bool(decrease_axis))]
        return picked[0].copy() if decrease_axis else picked
    box = [slice(None)] * Input.ndim
    for axis, start, end in zip(axes, starts, ends, strict=False):
        box[axis] = slice_of(start, end, size=Input.shape[axis], decreased=axis in decrease_axis)
    result = Input[tuple(box)].squeeze(axis=tuple(decrease_axis))
    return result.copy() if out is None else write(out, result)


@kernel("strided_slice")
def strided_slice(
    Input: Array,
    StartsTensor: Array | None,
    EndsTensor: Array | None,
    StridesTensor: Array | None,
    StartsTensorList: list[Array] | None,
    EndsTensorList: list[Array] | None,
    StridesTensorList: list[Array] | None,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    strides: list[int],
    decrease_axis: list[int],
    out: Array | None = None,
) -> Array:
    """Paddle strided_slice: every n-th element of a range on each of `axes`; of a repeated axis, the last."""
    starts = integers(starts, StartsTensor, StartsTensorList)
    ends = integers(ends, EndsTensor, EndsTensorList)
    strides = integers(strides, StridesTensor, StridesTensorList)
    box = [slice(None)] * Input.ndim
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=False):
        box[axis] = strided_slice_of(start, end, stride, Input.shape[axis])
    result = Input[tuple(box)].squeeze(axis=tuple(decrease_axis))
    return result.copy() if out is None else write(out, result)


@kernel("dynamic_slice")
def dynamic_slice(Input: Array, Starts: Array, Ends: Array, Axes: Array | None, Steps: Array | None) -> Array:
    """ONNX Slice: a range on each of Axes, counted and clamped as there."""
    box = dynamic_box(
        Input.shape, integers((), Starts), integers((), Ends), integers((), Axes), integers((), Steps)
    )
    return Input[tuple(box)].copy()


@kernel("crop")
def crop(
    X: Array,
    Y: Array | None,
    Offsets: Array | None,
    *,
    offsets: list[int],
    shape: list[int],
    out: Array | None = None,
) -> Array:
    """Paddle crop: the box of X at the offsets, of Y's shape or of `shape`."""
    return _box("crop", X, list(shape if Y is None else Y.shape), integers(offsets, Offsets), out)


@kernel("crop_tensor")
def crop_tensor(
    X: Array,
    Shape: Array | None,
    ShapeTensor: list[Array] | None,
    Offsets: Array | None,
    OffsetsTensor: list[Array] | None,
    *,
    offsets: list[int],
    shape: list[int],
    out: Array | None = None,
) -> Array:
    """Paddle crop_tensor: the box of X at the offsets; a size of -1 reaches to the end."""
    sizes = integers(shape, Shape, ShapeTensor)
    return _box("crop_tensor", X, sizes, integers(offsets, Offsets, OffsetsTensor), out)


def _box(op: str, x: Array, sizes: list[int], offsets: list[int], out: Array | None) -> Array:
    offsets = crop_offsets(offsets, x.ndim)
    shape = cropped(op, x.shape, sizes, offsets)
    result = x[tuple(slice(begin, begin + int(size)) for begin, size in zip(offsets, shape, strict=True))]
    return result.copy() if out is None else write(out, result)
