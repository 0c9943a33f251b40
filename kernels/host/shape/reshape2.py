"""The shape of a tensor (shape, is_empty) and views in other shapes: reshape2, squeeze2, flatten2, …."""

import numpy as np

from lite.ops.new_shape import flattened, flattened_2d, reshaped, squeezed, unsqueezed
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel


@kernel("shape")
def shape(Input: Array) -> Array:
    """Paddle shape: the shape of Input, ``int32[rank]``."""
    return np.array(Input.shape, np.int32)


@kernel("size")
def size(Input: Array) -> Array:
    """Paddle size: the number of elements, ``int64[]``."""
    return np.array(Input.size, np.int64)


@kernel("is_empty")
def is_empty(X: Array) -> Array:
    """Paddle is_empty: whether X has no elements, ``bool[]``."""
    return np.array(X.size == 0)


@kernel("reshape2")
def reshape2(
    X: Array, Shape: Array | None, ShapeTensor: list[Array] | None, *, shape: list[int]
) -> tuple[Array, Array]:
    """Paddle reshape2: X in another shape, where 0 keeps X's size of that axis and -1 is the remainder."""
    return _view(X, reshaped("reshape2", X.shape, integers(shape, ShapeTensor, Shape)))


@kernel("squeeze2")
def squeeze2(X: Array, AxesTensor: Array | None = None, *, axes: list[int]) -> tuple[Array, Array]:
    """Paddle squeeze2: X without the axes of size 1 among `axes` (empty: all)."""
    return _view(X, squeezed(X.shape, integers(axes, AxesTensor)))


@kernel("unsqueeze2")
def unsqueeze2(
    X: Array, AxesTensor: Array | None, AxesTensorList: list[Array] | None, *, axes: list[int]
) -> tuple[Array, Array]:
    """Paddle unsqueeze2: X with axes of size 1 inserted at `axes`, one after another."""
    return _view(X, unsqueezed(X.shape, integers(axes, AxesTensorList, AxesTensor)))


@kernel("flatten2")
def flatten2(X: Array, *, axis: int) -> tuple[Array, Array]:
    """Paddle flatten2: X as a matrix, whose rows are the axes before `axis`."""
    return _view(X, flattened_2d(X.shape, axis + X.ndim if axis < 0 else axis))


@kernel("flatten_contiguous_range")
def flatten_contiguous_range(X: Array, *, start_axis: int, stop_axis: int) -> tuple[Array, Array]:
    """Paddle flatten_contiguous_range: X with the axes from `start_axis` to `stop_axis` merged."""
    return _view(X, flattened(X.shape, start_axis, stop_axis))


def _view(x: Array, shape: tuple[int | str, ...] | None) -> tuple[Array, Array]:
    """The result, and XShape: an empty array ``float32[0, *X.shape]``."""
    return x.reshape(shape), np.empty((0, *x.shape), np.float32)
