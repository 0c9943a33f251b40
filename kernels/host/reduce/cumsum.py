"""cumsum and cumprod by numpy."""

import math

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("cumsum")
def cumsum(
    X: Array,
    AxisTensor: Array | None = None,
    *,
    axis: int = -1,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    keep_single: bool = True,
    out: Array | None = None,
) -> Array:
    """Paddle cumsum: for each element the sum up to it along an axis, from the axis's end if `reverse`.

    `exclusive` leaves out the element.  With `keep_single`, a tensor of one element is
    returned unchanged, even if `exclusive`, as in Paddle.
    """
    x = X.reshape(-1) if flatten or X.ndim == 0 else X
    if x.size == 1 and keep_single:
        return write(out, x.copy() if flatten else x.reshape(X.shape).copy())
    place = integer(axis, AxisTensor) if x.ndim == X.ndim else 0
    result = _running(np.add, x, place, 0, exclusive, reverse)
    return write(out, result if flatten else result.reshape(X.shape))


@kernel("cumprod")
def cumprod(
    X: Array,
    AxisTensor: Array | None = None,
    *,
    dim: int = -1,
    exclusive: bool = False,
    reverse: bool = False,
    out: Array | None = None,
) -> Array:
    """Paddle cumprod: like cumsum, with products."""
    place = integer(dim, AxisTensor) if X.ndim else 0
    result = _running(np.multiply, X.reshape(X.shape or (1,)), place, 1, exclusive, reverse)
    return write(out, result.reshape(X.shape))


_MANY = 256
"""The least elements of a step along the axis for which steps one after the other are faster."""


def _running(ufunc: np.ufunc, x: Array, axis: int, first: int, exclusive: bool, reverse: bool) -> Array:
    x = np.moveaxis(x, axis, 0)
    x = x[::-1] if reverse else x
    result = np.empty(x.shape, x.dtype)
    result[:1] = first
    terms, totals = (x[:-1], result[1:]) if exclusive else (x, result)
    if math.prod(x.shape[1:]) < _MANY:
        ufunc.accumulate(terms, 0, dtype=x.dtype, out=totals)
    else:
        totals[:1] = terms[:1]
        for before, term, total in zip(totals, terms[1:], totals[1:], strict=False):
            ufunc(before, term, out=total)
    result = result[::-1] if reverse else result
    return np.moveaxis(result, 0, axis)
