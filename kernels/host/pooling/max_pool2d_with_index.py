"""max_pool2d_with_index by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.window import windows
from lite.plugin.kernel import Array, kernel, write_all


@kernel("max_pool2d_with_index")
def max_pool2d_with_index(
    X: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    global_pooling: bool,
    adaptive: bool,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    """Paddle max_pool2d_with_index: maxima of windows (`adaptive`: of `ksize` bins) and their positions.

    X is ``float[N, C, H, W]``.  Mask ``int32[N, C, Ho, Wo]`` counts row by row in the image; of equal
    elements it names the first.
    """
    if global_pooling or (adaptive and list(ksize) == [1, 1]):
        return write_all(out, *_whole(X))
    return write_all(out, *_maxima(X, *_axes(X.shape[2:], ksize, strides, paddings, adaptive)))


def _whole(x: Array) -> tuple[Array, Array]:
    flat = x.reshape(*x.shape[:2], 1, -1)
    index = flat.argmax(axis=3, keepdims=True)
    return np.take_along_axis(flat, index, axis=3), index.astype(np.int32)


def _axes(
    image: Sequence[int],
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    adaptive: bool,
) -> list[Array]:
    """Per axis the positions ``[taps, out]`` in the image that each output element reads."""
    if adaptive:
        return [_bins(size, n) for size, n in zip(image, ksize, strict=True)]
    over = windows(image, ksize, strides, (1, 1), paddings, "EXPLICIT")
    return [
        np.arange(w.kernel)[:, None] - w.before + np.arange(int(w.out(size))) * w.stride
        for w, size in zip(over, image, strict=True)
    ]


def _maxima(x: Array, rows: Array, columns: Array) -> tuple[Array, Array]:
    """`rows` ``[taps, Ho]`` and `columns` ``[taps, Wo]`` are positions; those outside do not count."""
    height, width = x.shape[2:]
    best = np.full((*x.shape[:2], rows.shape[1], columns.shape[1]), -np.inf, x.dtype)
    index = np.full(best.shape, -1, np.int32)
    for row in rows:
        for column in columns:
            inside = ((row >= 0) & (row < height))[:, None] & ((column >= 0) & (column < width))
            y, z = np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)
            taken = x[:, :, y[:, None], z]
            better = inside & ((taken > best) | (index < 0))
            np.copyto(best, taken, where=better)
            np.copyto(index, (y[:, None] * width + z).astype(np.int32), where=better)
    return best, index


def _bins(size: int, out: int) -> Array:
    """Positions of bins from ``floor(i·size/out)`` up to ``ceil((i+1)·size/out)``; −1 where a bin ended."""
    steps = np.arange(out)
    starts, stops = steps * size // out, -(-(steps + 1) * size // out)
    positions = starts + np.arange(int((stops - starts).max(initial=0)))[:, None]
    return np.where(positions < stops, positions, -1)
