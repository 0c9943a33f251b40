"""one_hot_v2 by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("one_hot_v2")
def one_hot_v2(
    X: Array, depth_tensor: Array | None, *, depth: int, dtype: int, allow_out_of_range: bool
) -> Array:
    """For each number of X a vector of zeros with a one at that place; out of range it is all zeros."""
    width = integer(depth, depth_tensor)
    flat = X.reshape(-1)
    inside = np.flatnonzero((flat >= 0) & (flat < width))
    if not allow_out_of_range and len(inside) < len(flat):
        raise IndexError(f"X: expected numbers from 0 to {width - 1}, got {flat.min()} to {flat.max()}")
    result = np.zeros((len(flat), width), DType.from_code(dtype).numpy)
    result[inside, flat[inside]] = 1
    return result.reshape(*X.shape, width)
