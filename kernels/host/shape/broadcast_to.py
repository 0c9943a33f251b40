"""broadcast_to on the host."""

import numpy as np

from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("broadcast_to")
def broadcast_to(X: Array, Shape: Array | None, *, shape: list[int], out: Array | None = None) -> Array:
    """X broadcast with a shape, each against the other."""
    wanted = np.broadcast_shapes(X.shape, tuple(integers(shape, Shape)))
    result = np.broadcast_to(X, wanted)
    return result.copy() if out is None else write(out, result)
