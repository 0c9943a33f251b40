"""Lengths of vectors: norm, p_norm, lp_normalize and rms_norm."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write


@kernel("norm")
def norm(
    X: Array, *, axis: int, epsilon: float, out: tuple[Array | None, ...] | None = None
) -> tuple[Array, Array]:
    """``X / Norm`` with ``Norm = sqrt(Σ X² + epsilon)`` along an axis."""
    x = widened(X)
    length = np.sqrt(np.square(x).sum(axis=axis, keepdims=True) + x.dtype.type(epsilon))
    buffers = out or (None, None)
    return (
        write(buffers[0], (x / length).astype(X.dtype, copy=False)),
        write(buffers[1], length.astype(X.dtype, copy=False)),
    )


@kernel("p_norm")
def p_norm(
    X: Array, *, porder: float, axis: int, keepdim: bool, asvector: bool, out: Array | None = None
) -> Array:
    """``(Σ |X|^p)^(1/p)`` along an axis, or of all elements; p may be ±inf (extremes) or 0 (non-zeros)."""
    x = np.abs(widened(X))
    along = None if asvector else axis
    if porder == 0:
        length = np.count_nonzero(x, axis=along, keepdims=keepdim)
    elif porder == np.inf:
        length = x.max(axis=along, keepdims=keepdim)
    elif porder == -np.inf:
        length = x.min(axis=along, keepdims=keepdim)
    elif porder == 2:
        length = np.sqrt(np.square(x).sum(axis=along, keepdims=keepdim))
    else:
        power = x.dtype.type(porder)
        length = np.power(np.power(x, power).sum(axis=along, keepdims=keepdim), 1 / power)
    return write(out, np.asarray(length, X.dtype))


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
