"""Casts between places: io_copy, calib and layout, and their forms that run once."""

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.host.quantize.affine_quantize import spread
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
    """litebridge's calib: a cast or, with scales, ``real = (stored - zero_point) * scale`` or its inverse.

    There is one scale, or one for each index of `axis`.  Quantising rounds halves to even and saturates.
    """
    if X is None:
        return None
    target = DType.from_code(out_dtype)
    with np.errstate(all="ignore"):
        if not scale:
            result = np.empty(X.shape, target.numpy) if out is None else out
            np.copyto(result, X, casting="unsafe")
            return result
        factors = spread(np.asarray(scale, np.float64), X, axis)
        zeros = spread(np.asarray(zero_point or [0], np.float64), X, axis)
        if target.is_float:
            return write(out, ((X - zeros) * factors).astype(target.numpy))
        limits = np.iinfo(target.label)
        stored = np.rint(X / factors) + zeros
        return write(out, np.clip(stored, limits.min, limits.max).astype(target.numpy))


@kernel("io_copy")
@kernel("io_copy_once")
def io_copy(X: Array | None, *, out: Array | None = None) -> Array | None:
    """litebridge's io_copy between targets that read the host's memory: a copy.

    A target with its own memory registers kernels for copies to and from it.
    """
    return None if X is None else X.copy() if out is None else write(out, X)


@kernel("layout")
@kernel("layout_once")
def layout(X: Array | None, *, to: str, out: Array | None = None) -> Array | None:
    """litebridge's layout: a tensor of rank 4 with its axes in NHWC or NCHW order, contiguous."""
    if X is None:
        return None
    permuted = array_into(X, Layout(to))
    return np.array(permuted, order="C") if out is None else write(out, permuted)
