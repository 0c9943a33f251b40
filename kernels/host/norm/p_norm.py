"""Lengths of vectors: norm, p_norm, lp_normalize and rms_norm."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write, write_all


@kernel("norm")
def norm(
    X: Array, *, axis: int, epsilon: float, out: tuple[Array | None, ...] | None = None
) -> tuple[Array, ...]:
    """Paddle norm: ``X / Norm``, where ``Norm = sqrt(Σ X² + epsilon)`` along an axis."""
    x = widened(X)
    length = np.sqrt(np.square(x).sum(axis=axis, keepdims=True) + x.dtype.type(epsilon))
    return write_all(out, (x / length).astype(X.dtype, copy=False), length.astype(X.dtype, copy=False))


@kernel("p_norm")
def p_norm(
    X: Array, *, porder: float, axis: int, keepdim: bool, asvector: bool, out: Array | None = None
) -> Array:
    """Paddle p_norm: ``(Σ |X|^p)^(1/p)`` along an axis, or of all elements.

    An order p of ±inf gives the extreme of |X|, 0 the number of elements that are not 0.
    """
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
    """litebridge's rms_norm: ``X / sqrt(mean(X²) + epsilon) · Scale`` over axes from `begin_norm_axis` on.

    Scale broadcasts against X.  B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization", 2019.
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
    """ONNX LpNormalization: X divided by its norm of order 1 or 2 along `axis`; 0 where the norm is 0."""
    x = widened(X)
    powers = np.abs(x) if porder == 1 else np.square(x)
    norm = powers.sum(axis=axis, keepdims=True)
    if porder == 2:
        norm = np.sqrt(norm)
    result = np.divide(x, norm, out=np.zeros_like(x), where=norm != 0)
    return write(out, result.astype(X.dtype, copy=False))
