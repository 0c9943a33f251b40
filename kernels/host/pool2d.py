"""pool2d on the host: one axis after the other, since max and sum are separable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.padded import padded
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.kernel import Array, kernel, write

_LOWEST = {"float32": float(np.finfo(np.float32).min), "float64": float(np.finfo(np.float64).min)}
"""What a window that lies outside of the image has as its maximum."""


@kernel("pool2d")
def pool2d(
    X: Array,
    *,
    pooling_type: str,
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    global_pooling: bool,
    adaptive: bool,
    exclusive: bool,
    ceil_mode: bool,
    data_format: str,
    out: Array | None = None,
) -> Array:
    """Maximum or average of windows of an image.

    The average divides by the number of elements in the image (exclusive) or in the padded image.
    With `adaptive`, averages are of ksize bins; maxima are still of windows, ksize many along each axis:
    that is what Paddle computes (true adaptive maxima are max_pool2d_with_index).
    """
    channel_last = is_channel_last(data_format)
    x = np.moveaxis(X, -1, 1) if channel_last else X
    sizes = x.shape[2:]
    if global_pooling:
        ksize = sizes
    if global_pooling and not adaptive:
        pooled = _global(x, pooling_type)
    elif adaptive and pooling_type == "avg":
        pooled = _adaptive(x, ksize)
    else:
        algorithm = "VALID" if adaptive else padding_algorithm
        found = windows(sizes, ksize, strides, (1, 1), paddings, algorithm)
        outs = [int(w.out(size, ceil_mode)) for w, size in zip(found, sizes, strict=True)]
        if adaptive:
            outs = list(ksize)
        if pooling_type == "max":
            pooled = _slide(
                padded(x, found, outs, _LOWEST.get(x.dtype.name, -np.inf)), found, outs, np.maximum
            )
        else:
            pooled = _average(x, found, outs, exclusive)
    return write(out, np.moveaxis(pooled, 1, -1) if channel_last else pooled)


def _slide(x: Array, found: Sequence[Window], outs: Sequence[int], combine: np.ufunc) -> Array:
    """`combine` over the windows of a padded image, along the rows, then along the columns."""
    down, right = found
    rows = _slide_last(x, right, outs[1], combine)
    return np.swapaxes(_slide_last(np.swapaxes(rows, 2, 3), down, outs[0], combine), 2, 3)


def _slide_last(x: Array, window: Window, out: int, combine: np.ufunc) -> Array:
    reach = (out - 1) * window.stride + 1
    taps = [x[..., k : k + reach : window.stride] for k in range(window.kernel)]
    result = taps[0].copy() if len(taps) == 1 else combine(taps[0], taps[1])
    for tap in taps[2:]:
        combine(result, tap, out=result)
    return result


def _average(x: Array, found: Sequence[Window], outs: Sequence[int], exclusive: bool) -> Array:
    sums = _slide(padded(widened(x), found, outs), found, outs, np.add)
    down, right = (
        _counts(w, out, size, exclusive) for w, out, size in zip(found, outs, x.shape[2:], strict=True)
    )
    sums /= (down[:, None] * right).astype(sums.dtype)
    return sums.astype(x.dtype, copy=False)


def _counts(window: Window, out: int, size: int, exclusive: bool) -> Array:
    """How many elements each window has."""
    starts = np.arange(out) * window.stride - window.before
    stops = np.minimum(starts + window.kernel, size + (0 if exclusive else window.before))
    return stops - (np.maximum(starts, 0) if exclusive else starts)


def _adaptive(x: Array, outs: Sequence[int]) -> Array:
    """Averages of bins from ``floor(i·size/out)`` up to ``ceil((i+1)·size/out)``."""
    if list(outs) == [1, 1]:
        return _global(x, "avg")
    sums = _bins(_bins(widened(x), 3, outs[1]), 2, outs[0])
    down, right = (np.diff(_edges(size, out))[:, 0] for size, out in zip(x.shape[2:], outs, strict=True))
    sums /= (down[:, None] * right).astype(sums.dtype)
    return sums.astype(x.dtype, copy=False)


def _edges(size: int, out: int) -> Array:
    steps = np.arange(out)
    return np.stack([steps * size // out, -(-(steps + 1) * size // out)], axis=1)


def _bins(x: Array, axis: int, out: int) -> Array:
    size = x.shape[axis]
    if size % out == 0:
        split = x.reshape(*x.shape[:axis], out, size // out, *x.shape[axis + 1 :])
        reduced: Array = np.add.reduce(split, axis=axis + 1)
        return reduced
    rows = np.moveaxis(x, axis, 0)
    bins = [np.add.reduce(rows[start:stop], axis=0) for start, stop in _edges(size, out)]
    return np.moveaxis(np.stack(bins), 0, axis)


def _global(x: Array, pooling_type: str) -> Array:
    if pooling_type == "max":
        highest: Array = x.max(axis=(2, 3), keepdims=True)
        return highest
    mean: Array = widened(x).mean(axis=(2, 3), keepdims=True)
    return mean.astype(x.dtype, copy=False)
