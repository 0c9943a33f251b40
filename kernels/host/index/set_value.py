"""set_value by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.ranges import strided_slice_of
from lite.ops.shape_input import integers
from lite.ops.value_attrs import value_array
from lite.plugin.kernel import Array, kernel


@kernel("set_value")
def set_value(
    Input: Array,
    ValueTensor: Array | None,
    StartsTensorList: list[Array] | None,
    EndsTensorList: list[Array] | None,
    StepsTensorList: list[Array] | None,
    *,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    steps: list[int],
    decrease_axes: list[int],
    none_axes: list[int],
    shape: list[int],
    dtype: int,
    bool_values: list[int],
    fp32_values: list[float],
    fp64_values: list[float],
    int32_values: list[int],
    int64_values: list[int],
    values: list[float],
    out: Array | None = None,
) -> Array:
    """Paddle set_value: Input with a box replaced by ValueTensor or the listed values, which broadcast.

    The value lacks the axes of `decrease_axes` and has axes of size 1 at `none_axes`, which count the
    remaining axes.
    """
    if ValueTensor is None:
        value = value_array(
            "set_value",
            DType.from_code(dtype),
            bool_values=bool_values,
            fp32_values=fp32_values,
            fp64_values=fp64_values,
            int32_values=int32_values,
            int64_values=int64_values,
            values=values,
        ).reshape(shape)
    else:
        value = ValueTensor
    result = np.empty(Input.shape, Input.dtype) if out is None else out
    if result is not Input:
        result[...] = Input
    box = [slice(None)] * Input.ndim
    bounds = (
        integers(starts, StartsTensorList),
        integers(ends, EndsTensorList),
        integers(steps, StepsTensorList),
    )
    for axis, start, end, step in zip(axes, *bounds, strict=True):
        box[axis] = strided_slice_of(start, end, step, Input.shape[axis])
    target = result[tuple(box)].squeeze(axis=tuple(decrease_axes))
    for axis in none_axes:
        target = np.expand_dims(target, axis)
    target[...] = value
    return result
