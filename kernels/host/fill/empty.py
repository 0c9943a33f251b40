"""empty on the host."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel


@kernel("empty")
def empty(
    ShapeTensor: Array | None, ShapeTensorList: list[Array] | None, *, shape: list[int], dtype: int
) -> Array:
    """A tensor whose elements mean nothing; they are zeros, so that results can be repeated."""
    return np.zeros(integers(shape, ShapeTensor, ShapeTensorList), DType.from_code(dtype).numpy)
