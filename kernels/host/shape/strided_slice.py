"""strided_slice on the host."""

from lite.ops.ranges import strided_slice_of
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


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
    """Every n-th element of a range on each of `axes`; an axis given twice obeys the last."""
    starts = integers(starts, StartsTensor, StartsTensorList)
    ends = integers(ends, EndsTensor, EndsTensorList)
    strides = integers(strides, StridesTensor, StridesTensorList)
    box = [slice(None)] * Input.ndim
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=False):
        box[axis] = strided_slice_of(start, end, stride, Input.shape[axis])
    result = Input[tuple(box)].squeeze(axis=tuple(decrease_axis))
    return result.copy() if out is None else write(out, result)
