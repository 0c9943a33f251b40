"""rms_norm and lp_normalize on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write


@kernel("rms_norm")
def rms_norm(
    X: Array, Scale: Array | None, *, epsilon: float, begin_norm_axis: int, out: Array | None = None
) -> Array:
    """``X / sqrt(mean(X²) + epsilon) · Scale``, the mean over the axes from `begin_norm_axis` on.

    Scale broadcasts against X.
    """
    x = widened(X)
    axes = tuple(range(begin_norm_axis, x.ndim))
    mean = np.square(x).mean(axis=axes, keepdims=True)
    result = x * (1 / np.sqrt(mean + x.dtype.type(epsilon)))
    if Scale is not None:
        result = result * widened(Scale)
    return write(out, result.astype(X.dtype, copy=False))


@kernel("lp_normalize")
def lp_normalize(X: Array, *, axis: int, porder: int, out: Array | None = None) -> Array:
    """`X` divided by its 1- or 2-norms along `axis`; zeros stay zeros."""
    x = widened(X)
    powers = np.abs(x) if porder == 1 else np.square(x)
    norm = powers.sum(axis=axis, keepdims=True)
    if porder == 2:
        norm = np.sqrt(norm)
    result = np.divide(x, norm, out=np.zeros_like(x), where=norm != 0)
    return write(out, result.astype(X.dtype, copy=False))
