"""Elements in another order: transpose2, reverse_axes, flip and roll."""

import numpy as np

from lite.ops.ranges import roll_shifts
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, is_tensor_array, kernel, write


@kernel("transpose2")
def transpose2(
    X: Array, *, axis: list[int], out: tuple[Array, Array | None] | None = None
) -> tuple[Array, Array]:
    """Paddle transpose2: X with permuted axes, contiguous, and XShape: an empty array ``[0, *X.shape]``."""
    permuted = X.transpose(axis)
    return permuted.copy() if out is None else write(out[0], permuted), X[None][:0]


@kernel("reverse_axes")
def reverse_axes(X: Array, *, out: Array | None = None) -> Array:
    """X with its axes in reverse order, contiguous."""
    return X.T.copy() if out is None else write(out, X.T)


@kernel("flip")
def flip(X: Array | list[Array], *, axis: list[int], out: Array | None = None) -> Array | list[Array]:
    """Paddle flip: X with reversed order along each of `axis`; a tensor array in reverse order."""
    if is_tensor_array(X):
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
    """Paddle roll: X shifted cyclically along each of `axis`; without axes, over all elements in order."""
    distances = roll_shifts(axis, integers(shifts, ShiftsTensor))
    result = np.roll(X, distances, tuple(axis)) if axis else np.roll(X, distances[0])
    return write(out, result)
