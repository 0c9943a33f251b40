"""cumsum and cumprod by numpy."""

from collections.abc import Callable

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
    result = _running(np.cumsum, x, place, 0, exclusive, reverse)
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
    result = _running(np.cumprod, X.reshape(X.shape or (1,)), place, 1, exclusive, reverse)
    return write(out, result.reshape(X.shape))


def _running(
    function: Callable[..., Array], x: Array, axis: int, first: int, exclusive: bool, reverse: bool
) -> Array:
    x = np.moveaxis(x, axis, -1)
    x = x[..., ::-1] if reverse else x
    result = np.empty(x.shape, x.dtype)
    result[..., :1] = first
    if exclusive:
        function(x[..., :-1], -1, dtype=x.dtype, out=result[..., 1:])
    else:
        function(x, -1, dtype=x.dtype, out=result)
    result = result[..., ::-1] if reverse else result
    return np.moveaxis(result, -1, axis)
