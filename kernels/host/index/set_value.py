"""set_value by numpy."""

import numpy as np

from lite.ops.ranges import strided_slice_of
from lite.ops.shape_input import integers
from lite.ops.value_attrs import value_array
from lite.plugin.kernel import Array, Attributes, kernel


@kernel("set_value", attrs=Attributes)
def set_value(
    Input: Array,
    ValueTensor: Array | None,
    StartsTensorList: list[Array] | None,
    EndsTensorList: list[Array] | None,
    StepsTensorList: list[Array] | None,
    *,
    attrs: Attributes,
    out: Array | None = None,
) -> Array:
    """Paddle set_value: Input with a slice replaced by ValueTensor, or by the values in the attributes.

    The slice has ``starts:ends:steps`` along `axes`.  The value broadcasts to the slice without the axes
    `decrease_axes` (all of size 1), then with axes of size 1 inserted at the positions `none_axes`.
    """
    result = np.empty(Input.shape, Input.dtype) if out is None else out
    if result is not Input:
        result[...] = Input
    box = [slice(None)] * Input.ndim
    bounds = (
        integers(attrs.integers("starts"), StartsTensorList),
        integers(attrs.integers("ends"), EndsTensorList),
        integers(attrs.integers("steps"), StepsTensorList),
    )
    for axis, start, end, step in zip(attrs.integers("axes"), *bounds, strict=True):
        box[axis] = strided_slice_of(start, end, step, Input.shape[axis])
    target = result[tuple(box)].squeeze(axis=tuple(attrs.integers("decrease_axes")))
    for axis in attrs.integers("none_axes"):
        target = np.expand_dims(target, axis)
    target[...] = value_array("set_value", attrs) if ValueTensor is None else ValueTensor
    return result
