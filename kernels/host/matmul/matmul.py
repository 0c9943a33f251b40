"""matmul_v2, matmul and bmm by numpy."""

import math

import numpy as np

from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.plugin.kernel import Array, kernel, write


@kernel("matmul_v2")
def matmul_v2(
    X: Array, Y: Array, *, trans_x: bool = False, trans_y: bool = False, out: Array | None = None
) -> Array:
    """Paddle matmul_v2: ``[…, m, k] · […, k, n]`` → ``[…, m, n]``, by the rules of `numpy.matmul`.

    The leading axes broadcast.  `trans_x` and `trans_y` exchange the last two axes; they ignore vectors.
    """
    return product(_transposed(X, trans_x), _transposed(Y, trans_y), out)


@kernel("matmul")
def matmul(
    X: Array,
    Y: Array,
    *,
    transpose_X: bool = False,
    transpose_Y: bool = False,
    alpha: float = 1.0,
    out: Array | None = None,
) -> Array:
    """Paddle matmul: alpha · X · Y, with the shapes of matmul_v2.

    A transposed vector X is a column, and a transposed vector Y a row.  The product of two vectors is [1].
    """
    x = X.reshape(-1, 1) if X.ndim == 1 and transpose_X else _transposed(X, transpose_X)
    y = Y.reshape(1, -1) if Y.ndim == 1 and transpose_Y else _transposed(Y, transpose_Y)
    if x.ndim == y.ndim == 1:
        x = x.reshape(1, -1)
    result = product(x, y, out)
    if alpha != 1.0:
        result *= result.dtype.type(alpha)
    return result


@kernel("bmm")
def bmm(X: Array, Y: Array, *, out: Array | None = None) -> Array:
    """Paddle bmm: ``[B, n, k] · [B, k, m]``."""
    return product(X, Y, out)


def product(x: Array, y: Array, out: Array | None = None) -> Array:
    """``numpy.matmul(x, y)``; if only `x` has leading axes, as one product of all its rows, which is faster.

    Floats narrower than float32 are computed in float32, and integers in float64 where that is exact: numpy
    has no fast product of integers.
    """
    if _is_exact(x, y):
        return write(out, product(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype))
    if compute_dtype(x.dtype) != x.dtype:
        return write(out, product(widened(x), widened(y)).astype(x.dtype))
    if x.ndim == 2 or y.ndim != 2 or not x.flags.c_contiguous:
        return np.asarray(np.matmul(x, y, out=out))
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if out is None or not out.flags.c_contiguous:
        return write(out, np.matmul(rows, y).reshape(*x.shape[:-1], y.shape[-1]))
    np.matmul(rows, y, out=out.reshape(rows.shape[0], y.shape[1]))
    return out


_LEAST = 4096
"""The fewest multiplications of integers that are worth the conversions."""


def _is_exact(x: Array, y: Array) -> bool:
    """Whether float64 holds all sums of a product of integers, and that is worth it."""
    if x.dtype.kind not in "iu" or x.dtype != y.dtype or x.size * y.shape[-1] < _LEAST or not y.size:
        return False
    largest = [max(abs(int(each.min())), abs(int(each.max()))) for each in (x, y)]
    return largest[0] * largest[1] * int(x.shape[-1]) <= 1 << 53


def _transposed(x: Array, flag: bool) -> Array:
    return x.swapaxes(-1, -2) if flag and x.ndim > 1 else x
