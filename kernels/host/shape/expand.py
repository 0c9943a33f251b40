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
    """X broadcast to a shape, where -1 keeps X's size."""
    wanted = expanded("expand_v2", X.shape, integers(shape, Shape, expand_shapes_tensor))
    result = np.broadcast_to(X, [int(size) for size in wanted])
    return result.copy() if out is None else write(out, result)


@kernel("expand_as_v2")
def expand_as_v2(X: Array, Y: Array | None, *, target_shape: list[int], out: Array | None = None) -> Array:
    """X broadcast to the shape of Y, or to `target_shape`."""
    wanted = list(target_shape if Y is None else Y.shape)
    return expand_v2(X, None, None, shape=wanted, out=out)


@kernel("broadcast_to")
def broadcast_to(X: Array, Shape: Array | None, *, shape: list[int], out: Array | None = None) -> Array:
    """X broadcast with a shape, each against the other."""
    wanted = np.broadcast_shapes(X.shape, tuple(integers(shape, Shape)))
    result = np.broadcast_to(X, wanted)
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
    """X repeated along its last axes (and new ones in front), as often as each number says."""
    times = integers(repeat_times, RepeatTimes, repeat_times_tensor)
    return write(out, np.tile(X, times))


@kernel("expand_as")
def expand_as(X: Array, target_tensor: Array, *, out: Array | None = None) -> Array:
    """X repeated until it has the shape of `target_tensor`, whose sizes are multiples of X's."""
    times = [wanted // size if size else 1 for wanted, size in zip(target_tensor.shape, X.shape, strict=True)]
    return write(out, np.tile(X, times))
