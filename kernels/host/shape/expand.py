"""Repeated elements: expand_v2, expand_as_v2, broadcast_to, tile and expand_as."""

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
    """Paddle expand_v2: X broadcast to a shape, where -1 keeps X's size."""
    sizes = expanded("expand_v2", X.shape, integers(shape, Shape, expand_shapes_tensor))
    result = np.broadcast_to(X, [int(size) for size in sizes])
    return result.copy() if out is None else write(out, result)


@kernel("expand_as_v2")
def expand_as_v2(X: Array, Y: Array | None, *, target_shape: list[int], out: Array | None = None) -> Array:
    """Paddle expand_as_v2: X broadcast to the shape of Y, or to `target_shape`."""
    return expand_v2(X, None, None, shape=list(target_shape if Y is None else Y.shape), out=out)


@kernel("broadcast_to")
def broadcast_to(X: Array, Shape: Array | None, *, shape: list[int], out: Array | None = None) -> Array:
    """ONNX Expand: X broadcast against a shape; where the shape has 1, X's size is kept."""
    result = np.broadcast_to(X, np.broadcast_shapes(X.shape, tuple(integers(shape, Shape))))
    return result.copy() if out is None else write(out, result)


@kernel("tile")
def tile(
    X: Array,
    RepeatTimes: Array | None,
    repeat_times_tensor: list[Array] | None,
    *,
    repeat_times: list[int],
    out: Array | None = None,
) -> Array:
    """Paddle tile: X repeated along its last axes, and new ones in front, by one number for each."""
    times = integers(repeat_times, RepeatTimes, repeat_times_tensor)
    return write(out, np.tile(X, times))


@kernel("expand_as")
def expand_as(X: Array, target_tensor: Array, *, out: Array | None = None) -> Array:
    """Paddle expand_as: X repeated up to the shape of `target_tensor`, whose sizes are multiples of X's."""
    times = [goal // size if size else 1 for goal, size in zip(target_tensor.shape, X.shape, strict=True)]
    return write(out, np.tile(X, times))
