"""Rows with mean 0 and variance 1: what layer, group and instance normalisation share."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.workspace import cut, elements
from lite.plugin.kernel import Array


def standardize_room(count: int, size: int) -> int:
    """Elements that `standardize` works in for so many rows of a size."""
    return elements((count, size), (count,), (count,), (count,))


def standardize(
    rows: Array, epsilon: float, out: Array | None = None, room: Array | None = None
) -> tuple[Array, Array, Array]:
    """``(x − mean) / sqrt(variance + epsilon)`` of each row of ``[n, m]``; means, variances.

    The first is `out` where that is given, which may be `rows`; the others lie in `room`, a vector of
    `standardize_room` elements, where that is.
    """
    x = widened(rows)
    room = np.empty(standardize_room(*x.shape), x.dtype) if room is None else room
    squares, mean, variance, factor = cut(room, x.shape, x.shape[:1], x.shape[:1], x.shape[:1])
    result = np.empty(x.shape, x.dtype) if out is None else out
    with small_buffers():
        np.mean(x, axis=1, out=mean)
        np.subtract(x, mean[:, None], out=result)
        np.square(result, out=squares)
        np.mean(squares, axis=1, out=variance)
        np.add(variance, x.dtype.type(epsilon), out=factor)
        np.sqrt(factor, out=factor)
        np.divide(1, factor, out=factor)
        result *= factor[:, None]
    return result, mean, variance


def scale_and_shift(x: Array, scale: Array | None, bias: Array | None, shape: tuple[int, ...]) -> None:
    """``x · scale + bias`` in place; scale and bias, where given, take this shape first."""
    with small_buffers():
        if scale is not None:
            x *= scale.reshape(shape)
        if bias is not None:
            x += bias.reshape(shape)
