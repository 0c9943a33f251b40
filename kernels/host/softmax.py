"""softmax and log_softmax on the host."""

import numpy as np

from lite.kernels.host.compute_dtype import compute_dtype
from lite.plugin.kernel import Array, kernel


@kernel("softmax")
def softmax(X: Array, *, axis: int = -1, out: Array | None = None) -> Array:
    """exp(X) / sum(exp(X)) along an axis; 1 for a tensor without axes."""
    out = np.empty(X.shape, X.dtype) if out is None else out
    if X.ndim == 0 or X.size == 0:
        out.fill(1)
        return out
    work = _wide(out)
    _subtract_maximum(X, axis, work)
    np.exp(work, out=work)
    np.divide(work, _sums(work, axis), out=out, casting="same_kind")
    return out


@kernel("log_softmax")
def log_softmax(X: Array, *, axis: int = -1, out: Array | None = None) -> Array:
    """The logarithm of softmax; 0 for a tensor without axes."""
    out = np.empty(X.shape, X.dtype) if out is None else out
    if X.ndim == 0 or X.size == 0:
        out.fill(0)
        return out
    work = _wide(out)
    _subtract_maximum(X, axis, work)
    np.subtract(work, np.log(_sums(np.exp(work), axis)), out=out, casting="same_kind")
    return out


def _sums(work: Array, axis: int) -> Array:
    """Sums along an axis, kept; over the last one as a matrix product, which is several times as fast."""
    if axis not in (-1, work.ndim - 1) or not work.flags.c_contiguous:
        return np.asarray(work.sum(axis, keepdims=True))
    size = work.shape[-1]
    return (work.reshape(-1, size) @ np.ones(size, work.dtype)).reshape(*work.shape[:-1], 1)


def _wide(out: Array) -> Array:
    """`out`, or room of a wider dtype where sums of its own would lose too much."""
    dtype = compute_dtype(out.dtype)
    return out if dtype == out.dtype else np.empty(out.shape, dtype)


def _subtract_maximum(X: Array, axis: int, work: Array) -> None:
    # A row of -inf alone, as of a full mask, gives NaN without a warning.
    with np.errstate(invalid="ignore"):
        np.subtract(X, X.max(axis, keepdims=True), out=work)
