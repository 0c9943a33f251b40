"""The shape of a tensor as a tensor: shape and is_empty."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("shape")
def shape(Input: Array) -> Array:
    """Paddle shape: the shape of Input, ``int32[rank]``."""
    return np.array(Input.shape, np.int32)


@kernel("is_empty")
def is_empty(X: Array) -> Array:
    """Paddle is_empty: whether X has no elements, ``bool[]``."""
    return np.array(X.size == 0)
