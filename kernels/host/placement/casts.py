"""Casts between places: io_copy, calib and layout, and their forms that run once."""

import numpy as np

from lite.ir.types import DType, Layout
from lite.ops.image_layout import array_into
from lite.plugin.kernel import Array, kernel, write


@kernel("calib")
@kernel("calib_once")
def calib(
    X: Array | None,
    *,
    out_dtype: int,
    scale: list[float],
    zero_point: list[int],
    axis: int,
    out: Array | None = None,
) -> Array | None:
    """``real = (stored - zero_point) * scale``, with one scale or one per index of `axis`.

    Quantising rounds halves to even and saturates; without scales it is a cast.
    """
    if X is None:
        return None
    target = DType.from_code(out_dtype)
    with np.errstate(all="ignore"):
        if not scale:
            result = np.empty(X.shape, target.numpy) if out is None else out
            np.copyto(result, X, casting="unsafe")
            return result
        factors, zeros = _along(X, scale, axis), _along(X, zero_point or [0], axis)
        if target.is_float:
            return write(out, ((X - zeros) * factors).astype(target.numpy))
        limits = np.iinfo(target.label)
        stored = np.rint(X / factors) + zeros
        return write(out, np.clip(stored, limits.min, limits.max).astype(target.numpy))


def _along(x: Array, numbers: list[float] | list[int], axis: int) -> Array:
    """The numbers in float64, shaped to broadcast against `x`."""
    array = np.asarray(numbers, np.float64)
    shape = [1] * x.ndim
    if len(array) > 1:
        shape[axis] = len(array)
    return array.reshape(shape)


@kernel("io_copy")
@kernel("io_copy_once")
def io_copy(X: Array | None, *, out: Array | None = None) -> Array | None:
    """A copy; targets with memory of their own bring the kernels that cross into it."""
    if X is None or out is None:
        return None if X is None else X.copy()
    np.copyto(out, X)
    return out


@kernel("layout")
@kernel("layout_once")
def layout(X: Array | None, *, to: str, out: Array | None = None) -> Array | None:
    """The axes of an image of rank 4 from NCHW to NHWC or back, in contiguous memory."""
    if X is None:
        return None
    moved = array_into(X, Layout(to))
    if out is None:
        return np.array(moved, order="C")
    np.copyto(out, moved)
    return out
