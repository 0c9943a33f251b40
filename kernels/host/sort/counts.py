"""searchsorted, bincount and histogram by numpy."""

from __future__ import annotations

from typing import Literal

import numpy as np

from lite.plugin.kernel import Array, kernel, write

_MOST_BINS = 1 << 28
"""The most bins: a single huge number would need as many."""


@kernel("searchsorted")
def searchsorted(
    SortedSequence: Array, Values: Array, *, out_int32: bool, right: bool, out: Array | None = None
) -> Array:
    """Paddle searchsorted: where Values belong in a sorted vector, or in the row at their position."""
    side: Literal["left", "right"] = "right" if right else "left"
    result: Array = np.empty(Values.shape, np.int32 if out_int32 else np.int64)
    if SortedSequence.ndim == 1:
        result[...] = np.searchsorted(SortedSequence, Values, side)
        return write(out, result)
    width = Values.shape[-1] if Values.ndim else 1
    rows = SortedSequence.reshape(-1, SortedSequence.shape[-1])
    flat = result.reshape(-1, width)
    for n, (row, wanted) in enumerate(zip(rows, Values.reshape(-1, width), strict=True)):
        flat[n] = np.searchsorted(row, wanted, side)
    return write(out, result)


@kernel("bincount")
def bincount(X: Array, Weights: Array | None, *, minlength: int) -> Array:
    """Paddle bincount: how often each number from 0 occurs in ``X[n]``, or the sum of its Weights."""
    if X.size and not 0 <= int(X.min()) <= int(X.max()) < _MOST_BINS:
        raise ValueError(f"X: expected numbers from 0 to {_MOST_BINS - 1}, got {X.min()} to {X.max()}")
    counts = np.bincount(X, Weights, minlength)
    return counts.astype(np.int64 if Weights is None else Weights.dtype, copy=False)


@kernel("histogram")
def histogram(X: Array, Weight: Array | None, *, bins: int, min: float, max: float, density: bool) -> Array:
    """Paddle histogram: how many elements are in each of `bins` equal ranges from `min` to `max`.

    Equal limits mean the least and the greatest element; elements outside do not count.
    """
    limits = (min, max) if min != max else (float(X.min()), float(X.max())) if X.size else (0.0, 1.0)
    if limits[0] == limits[1]:
        limits = limits[0] - 1, limits[1] + 1
    weights = None if Weight is None else Weight.reshape(-1)
    counts, _ = np.histogram(X.reshape(-1), bins, limits, density, weights)
    return counts.astype(np.float32 if density or Weight is not None else np.int64, copy=False)
