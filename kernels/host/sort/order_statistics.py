"""Order statistics, running extrema and runs of equal elements by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


def _picked(x: Array, indices: Array, axis: int, *, keepdim: bool) -> tuple[Array, Array]:
    """The elements at `indices`, which have a size of 1 along `axis`, and the indices."""
    values = np.take_along_axis(x, indices, axis)
    indices = indices.astype(np.int64)
    return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))


@kernel("kthvalue")
def kthvalue(X: Array, *, k: int, axis: int, keepdim: bool) -> tuple[Array, Array]:
    """Paddle kthvalue: the k-th least element along an axis, and its index (int64)."""
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    order = np.argsort(X, axis=axis, kind="stable")
    return _picked(X, np.take(order, [k - 1], axis), axis, keepdim=keepdim)


@kernel("mode")
def mode(X: Array, *, axis: int, keepdim: bool) -> tuple[Array, Array]:
    """Paddle mode: the most frequent element along an axis (of several the least), and its last index."""
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    rows = np.moveaxis(X, axis, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    last = np.empty(len(flat), np.int64)
    for n, row in enumerate(flat):
        values, counts = np.unique(row, return_counts=True)
        last[n] = np.flatnonzero(row == values[counts.argmax()])[-1]
    return _picked(X, np.expand_dims(last.reshape(rows.shape[:-1]), axis), axis, keepdim=keepdim)


@kernel("median")
def median(x: Array, *, axis: Sequence[int], keepdim: bool, mode: str) -> tuple[Array, Array]:
    """Paddle median: like nanmedian, and NaN where an element is NaN."""
    return _median(x, axis, keepdim=keepdim, mode=mode, skip=False)


@kernel("nanmedian")
def nanmedian(X: Array, *, axis: Sequence[int], keepdim: bool, mode: str) -> tuple[Array, Array]:
    """Paddle nanmedian: the median along axes (all for none), of the elements that are not NaN.

    Of an even number of elements it is the mean of the two in the middle (`mode` avg) or the lower one (min).
    The second result has the indices of the two, or of the lower one, among the elements of the axes.
    """
    return _median(X, axis, keepdim=keepdim, mode=mode, skip=True)


def _median(x: Array, axis: Sequence[int], *, keepdim: bool, mode: str, skip: bool) -> tuple[Array, Array]:
    axes = sorted(place % max(x.ndim, 1) for place in axis) or list(range(x.ndim))
    rest = [place for place in range(x.ndim) if place not in axes]
    dtype = x.dtype if x.dtype.kind not in "iub" or mode == "min" else np.dtype(np.float32)
    kept = [x.shape[place] for place in rest]
    rows = x.transpose(*rest, *axes).reshape(*kept, -1)
    order = np.argsort(rows, axis=-1, kind="stable")
    missing = np.isnan(rows) if x.dtype.kind not in "iub" else np.zeros(rows.shape, np.bool_)
    count = rows.shape[-1] - missing.sum(-1, keepdims=True)
    count = np.where(count == 0, 1, count)
    lower = np.take_along_axis(order, (count - 1) // 2, -1)
    upper = lower if mode == "min" else np.take_along_axis(order, count // 2, -1)
    pair = [np.take_along_axis(rows, place, -1).astype(dtype) for place in (lower, upper)]
    result = (
        pair[0] if mode == "min" else np.where(lower == upper, pair[0], (pair[0] + pair[1]) / dtype.type(2))
    )
    if not skip and missing.any():
        result = np.where(missing.any(-1, keepdims=True), dtype.type(np.nan), result)
    shape = [1 if place in axes else size for place, size in enumerate(x.shape)] if keepdim else kept
    indices = lower.reshape(shape) if mode == "min" else np.concatenate([lower, upper], -1)
    return result.astype(dtype, copy=False).reshape(shape), indices.astype(np.int64)


@kernel("cummax")
def cummax(x: Array, *, axis: int, dtype: int) -> tuple[Array, Array]:
    """Paddle cummax: the greatest element up to each one along an axis, and its last index."""
    return _extrema(x, axis, dtype, np.maximum)


@kernel("cummin")
def cummin(x: Array, *, axis: int, dtype: int) -> tuple[Array, Array]:
    """Paddle cummin: the least element up to each one along an axis, and its last index."""
    return _extrema(x, axis, dtype, np.minimum)


def _extrema(x: Array, axis: int, dtype: int, best: np.ufunc) -> tuple[Array, Array]:
    rows = np.moveaxis(x.reshape(x.shape or (1,)), axis if x.ndim else 0, 0)
    values = best.accumulate(rows, axis=0)
    steps = np.arange(len(rows)).reshape(-1, *[1] * (rows.ndim - 1))
    is_new = (rows == values) | (np.isnan(rows) if rows.dtype.kind == "f" else False)
    indices = np.maximum.accumulate(np.where(is_new, steps, 0), axis=0).astype(DType.from_code(dtype).numpy)
    place = axis if x.ndim else 0
    results = (np.moveaxis(part, 0, place).reshape(x.shape) for part in (values, indices))
    first, second = (np.ascontiguousarray(part) for part in results)
    return first.reshape(x.shape), second.reshape(x.shape)


@kernel("logcumsumexp")
def logcumsumexp(X: Array, *, axis: int, flatten: bool, exclusive: bool, reverse: bool) -> Array:
    """Paddle logcumsumexp: logarithms of running sums of exp(X) along an axis."""
    x = X.reshape(-1) if flatten or not X.ndim else X
    rows = np.moveaxis(x, 0 if x.ndim != X.ndim else axis, 0)
    rows = rows[::-1] if reverse else rows
    sums = np.logaddexp.accumulate(rows, axis=0)
    if exclusive:
        sums = np.concatenate([np.full_like(sums[:1], -np.inf), sums[:-1]])
    sums = np.moveaxis(sums[::-1] if reverse else sums, 0, 0 if x.ndim != X.ndim else axis)
    return np.ascontiguousarray(sums).reshape(x.shape if flatten else X.shape)


@kernel("unique_consecutive")
def unique_consecutive(X: Array, *, axis: Sequence[int], dtype: int) -> tuple[Array, Array, Array]:
    """Paddle unique_consecutive: the first element (or slice along `axis`) of each run of equal ones.

    The other results have the type `dtype`: the run of each element, and the lengths of the runs.
    """
    place = axis[0] if axis else 0
    rows = np.moveaxis(X, place, 0) if axis else X.reshape(-1)
    changed = (rows[1:] != rows[:-1]).reshape(max(len(rows) - 1, 0), -1).any(1)
    starts = np.flatnonzero(np.concatenate([[True], changed])) if len(rows) else np.zeros(0, np.int64)
    kind = DType.from_code(dtype).numpy
    run = np.concatenate([[0], np.cumsum(changed)]) if len(rows) else starts
    lengths = np.diff(np.append(starts, len(rows)))
    result = np.moveaxis(rows[starts], 0, place) if axis else rows[starts]
    return np.ascontiguousarray(result), run.astype(kind), lengths.astype(kind)
