"""one_hot_values on the host."""

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("one_hot_values")
def one_hot_values(
    X: Array, Depth: Array | None, Values: Array, *, depth: int, axis: int, out: Array | None = None
) -> Array:
    """Along a new axis Values[1] at the place that X says, else Values[0]; negative from the back."""
    width = integer(depth, Depth)
    places = X.astype(np.int64, copy=False)
    places = np.where(places < 0, places + width, places)
    hits = np.expand_dims(places, axis) == np.arange(width).reshape(
        (-1,) + (1,) * (X.ndim - axis % (X.ndim + 1))
    )
    return write(out, np.where(hits, Values[1], Values[0]).astype(Values.dtype, copy=False))
