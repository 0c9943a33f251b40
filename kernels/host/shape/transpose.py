"""Elements in another order: transpose2, flip and roll."""

import numpy as np

from lite.ops.ranges import roll_shifts
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("transpose2")
def transpose2(
    X: Array, *, axis: list[int], out: tuple[Array, Array | None] | None = None
) -> tuple[Array, Array]:
    """X with its axes permuted, in contiguous memory; XShape is an empty array that tells X's shape."""
    permuted = X.transpose(axis)
    if out is None:
        result = permuted.copy()
    else:
        result = out[0]
        result[...] = permuted
    return result, X[None][:0]


@kernel("flip")
def flip(X: Array | list[Array], *, axis: list[int], out: Array | None = None) -> Array | list[Array]:
    """X with the order along each of `axis` reversed; a tensor array with its elements in reverse order."""
    if isinstance(X, list):
        return X[::-1]
    flipped = np.flip(X, tuple(axis))
    return flipped.copy() if out is None else write(out, flipped)


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
