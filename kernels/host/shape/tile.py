"""tile and expand_as on the host: a tensor repeated whole along its axes."""

import numpy as np

from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


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
