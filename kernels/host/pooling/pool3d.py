"""pool3d and lp_pool2d by numpy: reductions of one axis after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.padded import padded, tap_slices
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.kernel import Array, kernel


@kernel("pool3d")
def pool3d(
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
) -> Array:
    """Paddle pool3d: maximum or average of windows of volumes ``float[N, C, D, H, W]`` (or NDHWC).

    The average divides by the number of elements in the volume (exclusive) or in the padded volume.  With
    `adaptive`, it is of `ksize` bins from ``floor(i·size/out)`` up to ``ceil((i+1)·size/out)``.
    """
    x = np.moveaxis(X, -1, 1) if is_channel_last(data_format) else X
    average, image = pooling_type == "avg", x.shape[2:]
    if global_pooling:
        result = widened(x).mean((2, 3, 4), keepdims=True) if average else x.max((2, 3, 4), keepdims=True)
    elif adaptive:
        result = _in_bins(x, ksize, np.mean if average else np.max)
    else:
        over = windows(image, ksize, strides, [1] * len(image), paddings, padding_algorithm)
        outs = [int(w.out(size, ceil_mode)) for w, size in zip(over, image, strict=True)]
        result = _slid(x, over, outs, average=average, exclusive=exclusive)
    result = result.astype(X.dtype, copy=False)
    return np.ascontiguousarray(np.moveaxis(result, 1, -1)) if is_channel_last(data_format) else result


@kernel("lp_pool2d")
def lp_pool2d(
    x: Array,
    *,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    ceil_mode: bool,
    data_format: str,
    norm_type: float,
) -> Array:
    """Paddle lp_pool2d: the p-norm of windows of images ``float[N, C, H, W]`` (or NHWC), of signed powers."""
    images = np.moveaxis(x, -1, 1) if is_channel_last(data_format) else x
    over = windows(images.shape[2:], kernel_size, strides, [1, 1], paddings, padding_algorithm)
    outs = [int(w.out(size, ceil_mode)) for w, size in zip(over, images.shape[2:], strict=True)]
    with np.errstate(invalid="ignore"):
        powers = np.power(widened(images), norm_type)
        sums = sum(powers_of_tap for powers_of_tap in _taps(padded(powers, over, outs), over, outs))
        result = np.power(np.asarray(sums), 1 / norm_type).astype(x.dtype, copy=False)
    return np.ascontiguousarray(np.moveaxis(result, 1, -1)) if is_channel_last(data_format) else result


def _taps(x: Array, over: Sequence[Window], outs: Sequence[int]) -> list[Array]:
    return [x[index] for index in tap_slices(over, outs)]


def _slid(x: Array, over: Sequence[Window], outs: Sequence[int], *, average: bool, exclusive: bool) -> Array:
    if not average:
        lowest = np.finfo(x.dtype).min if x.dtype.kind == "f" else -np.inf
        return np.asarray(np.maximum.reduce(_taps(padded(x, over, outs, lowest), over, outs)))
    sums = np.asarray(sum(_taps(padded(widened(x), over, outs), over, outs)))
    counts = np.ones(1, sums.dtype)
    for window, size, out in zip(over, x.shape[2:], outs, strict=True):
        starts = np.arange(out) * window.stride - window.before
        stops = np.minimum(starts + window.kernel, size + (0 if exclusive else window.before))
        counts = np.multiply.outer(counts, stops - (np.maximum(starts, 0) if exclusive else starts))
    return np.asarray(sums / counts[0].astype(sums.dtype))


def _in_bins(x: Array, bins: Sequence[int], reduce: Callable[..., Array]) -> Array:
    x = widened(x) if reduce is np.mean else x
    for axis, count in enumerate(bins, 2):
        size = x.shape[axis]
        edges = [(n * size // count, -(-(n + 1) * size // count)) for n in range(count)]
        rows = np.moveaxis(x, axis, 0)
        x = np.moveaxis(np.stack([reduce(rows[start:stop], axis=0) for start, stop in edges]), 0, axis)
    return x
