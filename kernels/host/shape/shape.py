"""The shape of a tensor as a tensor: shape and is_empty."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("shape")
def shape(Input: Array) -> Array:
    """The shape of Input, int32."""
    return np.array(Input.shape, np.int32)


@kernel("is_empty")
def is_empty(X: Array) -> Array:
    """Whether X has no elements, as a 0-D bool."""
    return np.array(X.size == 0)
