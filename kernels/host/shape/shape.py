"""shape on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("shape")
def shape(Input: Array) -> Array:
    """The shape of Input, int32."""
    return np.array(Input.shape, np.int32)
