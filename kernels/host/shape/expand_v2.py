"""expand_v2 and expand_as_v2 on the host."""

import numpy as np

from lite.ops.new_shape import expanded
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("expand_v2")
def expand_v2(
    X: Array,
    Shape: Array | None,
    expand_shapes_tensor: list[Array] | None,
    *,
    shape: list[int],
    out: Array | None = None,
) -> Array:
    """X broadcast to a shape, where -1 keeps X's size."""
    wanted = expanded("expand_v2", X.shape, integers(shape, Shape, expand_shapes_tensor))
    result = np.broadcast_to(X, [int(size) for size in wanted])
    return result.copy() if out is None else write(out, result)


@kernel("expand_as_v2")
def expand_as_v2(X: Array, Y: Array | None, *, target_shape: list[int], out: Array | None = None) -> Array:
    """X broadcast to the shape of Y, or to `target_shape`."""
    wanted = list(target_shape if Y is None else Y.shape)
    return expand_v2(X, None, None, shape=wanted, out=out)
