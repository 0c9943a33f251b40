"""one_hot_v2 and one_hot_values by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("one_hot_v2")
def one_hot_v2(
    X: Array, depth_tensor: Array | None, *, depth: int, dtype: int, allow_out_of_range: bool
) -> Array:
    """Paddle one_hot_v2: for each number of X a vector with 1 at that index, zeros elsewhere.

    A number out of range gives zeros with `allow_out_of_range`, else raises `IndexError`.
    """
    width = integer(depth, depth_tensor)
    flat = X.reshape(-1)
    inside = np.flatnonzero((flat >= 0) & (flat < width))
    if not allow_out_of_range and len(inside) < len(flat):
        raise IndexError(f"X: expected numbers from 0 to {width - 1}, got {flat.min()} to {flat.max()}")
    result = np.zeros((len(flat), width), DType.from_code(dtype).numpy)
    result[inside, flat[inside]] = 1
    return result.reshape(*X.shape, width)


@kernel("one_hot_values")
def one_hot_values(
    X: Array, Depth: Array | None, Values: Array, *, depth: int, axis: int, out: Array | None = None
) -> Array:
    """ONNX OneHot: along a new axis Values[1] at index X, else Values[0]; negative indices from the end."""
    width = integer(depth, Depth)
    indices = X.astype(np.int64, copy=False)
    indices = np.where(indices < 0, indices + width, indices)
    place = axis % (X.ndim + 1)
    shape = (*X.shape[:place], width, *X.shape[place:])
    result = np.empty(shape, Values.dtype) if out is None else out
    result[...] = Values[0]
    is_inside = (indices >= 0) & (indices < width)
    if is_inside.all():
        np.put_along_axis(result, np.expand_dims(indices, place), Values[1], place)
    elif width:
        values = np.where(is_inside, Values[1], Values[0])
        places = np.where(is_inside, indices, 0)
        np.put_along_axis(result, np.expand_dims(places, place), np.expand_dims(values, place), place)
    return result
