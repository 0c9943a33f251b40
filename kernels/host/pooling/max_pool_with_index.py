"""max_pool2d_with_index, max_pool3d_with_index and unpool by numpy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lite.ops.window import windows
from lite.plugin.kernel import Array, kernel, write_all


@kernel("max_pool2d_with_index")
@kernel("max_pool3d_with_index")
def max_pool_with_index(
    X: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    global_pooling: bool,
    adaptive: bool,
    ceil_mode: bool = False,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    """Paddle max_pool2d_with_index: maxima of windows (`adaptive`: of `ksize` bins) and their positions.

    X is ``float[N, C, H, W]`` or ``[N, C, D, H, W]``.  Mask ``int32[N, C, Ho, Wo]`` counts row by row in the
    image; of equal elements it names the first.
    """
    if global_pooling or (adaptive and set(ksize) == {1}):
        return write_all(out, *_whole(X))
    return write_all(out, *_maxima(X, _axes(X.shape[2:], ksize, strides, paddings, adaptive, ceil_mode)))


def _whole(x: Array) -> tuple[Array, Array]:
    flat = x.reshape(*x.shape[:2], *[1] * (x.ndim - 3), -1)
    index = flat.argmax(axis=-1, keepdims=True)
    return np.take_along_axis(flat, index, axis=-1), index.astype(np.int32)


def _axes(
    image: Sequence[int],
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    adaptive: bool,
    ceil_mode: bool,
) -> list[Array]:
    """Per axis the positions ``[taps, out]`` in the image that each output element reads."""
    if adaptive:
        return [_bins(size, n) for size, n in zip(image, ksize, strict=True)]
    over = windows(image, ksize, strides, [1] * len(image), paddings, "EXPLICIT")
    return [
        np.arange(w.kernel)[:, None] - w.before + np.arange(int(w.out(size, ceil_mode))) * w.stride
        for w, size in zip(over, image, strict=True)
    ]


def _maxima(x: Array, axes: Sequence[Array]) -> tuple[Array, Array]:
    """`axes` are for each axis the positions ``[taps, out]`` of the taps; those outside do not count."""
    image = x.shape[2:]
    best = np.full((*x.shape[:2], *(positions.shape[1] for positions in axes)), -np.inf, x.dtype)
    index = np.full(best.shape, -1, np.int32)
    for taps in itertools.product(*axes):
        places = np.ix_(*(np.clip(tap, 0, size - 1) for tap, size in zip(taps, image, strict=True)))
        inside = np.ones([len(tap) for tap in taps], np.bool_)
        for place, tap in zip(places, taps, strict=True):
            inside &= place == tap.reshape(place.shape)
        taken = x[(slice(None), slice(None), *places)]
        better = inside & ((taken > best) | (index < 0))
        flat = np.ravel_multi_index(np.broadcast_arrays(*places), image)
        np.copyto(best, taken, where=better)
        np.copyto(index, flat.astype(np.int32), where=better)
    return best, index


def _bins(size: int, out: int) -> Array:
    """Positions of bins from ``floor(i·size/out)`` up to ``ceil((i+1)·size/out)``; −1 where a bin ended."""
    steps = np.arange(out)
    starts, stops = steps * size // out, -(-(steps + 1) * size // out)
    positions = starts + np.arange(int((stops - starts).max(initial=0)))[:, None]
    return np.where(positions < stops, positions, -1)


@kernel("unpool")
@kernel("unpool3d")
def unpool(X: Array, Indices: Array, *, output_size: Sequence[int]) -> Array:
    """Paddle unpool: the elements of X at `Indices` of images of size `output_size`, zeros elsewhere."""
    planes = X.shape[0] * X.shape[1]
    result = np.zeros((planes, math.prod(output_size)), X.dtype)
    if Indices.size and not 0 <= Indices.min() <= Indices.max() < result.shape[1]:
        raise IndexError(
            f"Indices: expected 0 to {result.shape[1] - 1}, got {Indices.min()} to {Indices.max()}"
        )
    np.put_along_axis(result, Indices.reshape(planes, -1).astype(np.int64), X.reshape(planes, -1), axis=1)
    return result.reshape(*X.shape[:2], *output_size)
