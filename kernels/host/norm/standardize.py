"""Rows with mean 0 and variance 1, for layer, group and instance normalisation."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.workspace import cut, elements
from lite.plugin.kernel import Array


def standardize_workspace(count: int, size: int) -> int:
    """The number of elements in the workspace of `standardize` for `count` rows of `size` elements."""
    return elements((count, size), (count,), (count,), (count,))


def standardize(
    rows: Array, epsilon: float, out: Array | None = None, workspace: Array | None = None
) -> tuple[Array, Array, Array]:
    """``(x − mean) / sqrt(variance + epsilon)`` of rows ``[n, m]``; their means ``[n]``; their variances.

    The first array is `out`, which may be `rows`.  The others are parts of `workspace`, a vector of
    `standardize_workspace` elements.  Without `out` or `workspace`, new memory is allocated.  Floats narrower
    than float32 are computed in float32.
    """
    x = widened(rows)
    workspace = np.empty(standardize_workspace(*x.shape), x.dtype) if workspace is None else workspace
    squares, mean, variance, factor = cut(workspace, x.shape, x.shape[:1], x.shape[:1], x.shape[:1])
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
    """``x · scale + bias`` in place; scale and bias may be None, and are reshaped to `shape`."""
    with small_buffers():
        if scale is not None:
            x *= scale.reshape(shape)
        if bias is not None:
            x += bias.reshape(shape)
