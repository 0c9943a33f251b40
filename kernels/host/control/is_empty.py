"""is_empty on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("is_empty")
def is_empty(X: Array) -> Array:
    """Whether X has no elements, as a 0-D bool."""
    return np.array(X.size == 0)
