"""norm and p_norm on the host."""

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
