"""roll on the host."""

import numpy as np

from lite.ops.ranges import roll_shifts
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("roll")
def roll(
    X: Array,
    ShiftsTensor: Array | None,
    *,
    axis: list[int],
    shifts: list[int],
    out: Array | None = None,
) -> Array:
    """X shifted along each of `axis`, what falls out at the end entering in front; flat without axes."""
    distances = roll_shifts(axis, integers(shifts, ShiftsTensor))
    result = np.roll(X, distances, tuple(axis)) if axis else np.roll(X, distances[0])
    return write(out, result)
