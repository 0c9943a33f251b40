"""softmax, log_softmax and hardmax by numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import compute_dtype
from lite.kernels.host.workspace import cut, elements
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    x, axis = ctx.inputs["X"][0], ctx.attrs.integer("axis")
    workspace = ctx.scratch((elements(*_shapes(x.sizes, axis, x.dtype.numpy)),), compute_dtype(x.dtype.numpy))

    def run(X: Array, *, out: Array | None = None) -> Array:
        return _softmax(X, axis, out, workspace.array)

    return run


@kernel("softmax", prepare=_prepare)
def softmax(X: Array, *, axis: int = -1, out: Array | None = None) -> Array:
    """Paddle softmax: exp(X) / sum(exp(X)) along an axis; 1 for a scalar."""
    return _softmax(
        X, axis, out, np.empty(elements(*_shapes(X.shape, axis, X.dtype)), compute_dtype(X.dtype))
    )


def _shapes(shape: Sequence[int], axis: int, dtype: np.dtype[Any]) -> list[Sequence[int]]:
    """Shapes in the workspace: extremes or sums along the axis, ones, and X in a wider compute dtype."""
    if not shape or not math.prod(shape):
        return [(0,)] * 3
    along = list(shape)
    along[axis] = 1
    return [along, (shape[axis],), (0,) if compute_dtype(dtype) == dtype else shape]


def _softmax(X: Array, axis: int, out: Array | None, workspace: Array) -> Array:
    out = np.empty(X.shape, X.dtype) if out is None else out
    if X.ndim == 0 or X.size == 0:
        out.fill(1)
        return out
    along, ones, wide = cut(workspace, *_shapes(X.shape, axis, X.dtype))
    work = wide if wide.size else out
    np.maximum.reduce(X, axis, keepdims=True, out=along)
    # A row of only -inf, as under a full mask, gives NaN without a warning.
    with small_buffers(), np.errstate(invalid="ignore"):
        np.subtract(X, along, out=work)
        np.exp(work, out=work)
        if axis in (-1, work.ndim - 1) and work.flags.c_contiguous:
            # Over the last axis, a matrix product sums several times as fast.
            ones.fill(1)
            np.matmul(work.reshape(-1, len(ones)), ones, out=along.reshape(-1))
        else:
            np.add.reduce(work, axis, keepdims=True, out=along)
        np.divide(work, along, out=out, casting="same_kind")
    return out


@kernel("log_softmax")
def log_softmax(X: Array, *, axis: int = -1, out: Array | None = None) -> Array:
    """Paddle log_softmax: the logarithm of softmax; 0 for a scalar."""
    out = np.empty(X.shape, X.dtype) if out is None else out
    if X.ndim == 0 or X.size == 0:
        out.fill(0)
        return out
    work = _wide(out)
    _subtract_maximum(X, axis, work)
    np.subtract(work, np.log(_sums(np.exp(work), axis)), out=out, casting="same_kind")
    return out


def _sums(work: Array, axis: int) -> Array:
    """Sums along an axis, which is kept; over the last axis by a matrix product, which is faster."""
    if axis not in (-1, work.ndim - 1) or not work.flags.c_contiguous:
        return np.asarray(work.sum(axis, keepdims=True))
    size = work.shape[-1]
    return (work.reshape(-1, size) @ np.ones(size, work.dtype)).reshape(*work.shape[:-1], 1)


def _wide(out: Array) -> Array:
    """`out`, or a new array where the compute dtype is wider."""
    dtype = compute_dtype(out.dtype)
    return out if dtype == out.dtype else np.empty(out.shape, dtype)


def _subtract_maximum(X: Array, axis: int, work: Array) -> None:
    # A row of only -inf, as under a full mask, gives NaN without a warning.
    with np.errstate(invalid="ignore"):
        np.subtract(X, X.max(axis, keepdims=True), out=work)


@kernel("hardmax")
def hardmax(X: Array, *, axis: int = -1, out: Array | None = None) -> Array:
    """ONNX Hardmax: 1 at the first maximum along an axis, 0 elsewhere; 1 for a scalar."""
    result = np.empty(X.shape, X.dtype) if out is None else out
    if X.ndim == 0 or X.size == 0:
        result.fill(1)
        return result
    # Before writing: `out` may be X.
    indices = np.expand_dims(X.argmax(axis), axis)
    result.fill(0)
    np.put_along_axis(result, indices, 1, axis)
    return result
