"""Channels and pixels exchanged, patches added up, and gated channels, by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.kernels.host.compute_dtype import widened
from lite.ops.window import is_channel_last, paddings_by_axis
from lite.plugin.kernel import Array, kernel


@kernel("pixel_unshuffle")
def pixel_unshuffle(X: Array, *, downscale_factor: int, data_format: str) -> Array:
    """Paddle pixel_unshuffle: blocks of f · f pixels become f · f channels for each channel."""
    f, last = downscale_factor, is_channel_last(data_format)
    x = np.moveaxis(X, -1, 1) if last else X
    batch, channels, height, width = x.shape
    blocks = x.reshape(batch, channels, height // f, f, width // f, f).transpose(0, 1, 3, 5, 2, 4)
    result = blocks.reshape(batch, channels * f * f, height // f, width // f)
    return np.ascontiguousarray(np.moveaxis(result, 1, -1)) if last else result


@kernel("channel_shuffle")
def channel_shuffle(X: Array, *, groups: int, data_format: str) -> Array:
    """Paddle channel_shuffle: the first channel of each group, then the second of each, and so on."""
    if is_channel_last(data_format):
        split = X.reshape(*X.shape[:3], groups, -1)
        return np.ascontiguousarray(split.swapaxes(3, 4)).reshape(X.shape)
    split = X.reshape(X.shape[0], groups, -1, *X.shape[2:])
    return np.ascontiguousarray(split.swapaxes(1, 2)).reshape(X.shape)


@kernel("fold")
def fold(
    X: Array,
    *,
    output_sizes: Sequence[int],
    kernel_sizes: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """Paddle fold: ``X[N, C·kh·kw, windows]`` added up to images ``[N, C, H, W]``, the inverse of unfold."""
    top, bottom, left, right = paddings_by_axis([*paddings] * 2 if len(paddings) == 2 else paddings)
    (height, width), (rows, columns) = output_sizes, kernel_sizes
    tall, wide = height + top + bottom, width + left + right
    outs = [
        (size - dilation * (k - 1) - 1) // stride + 1
        for size, dilation, k, stride in zip((tall, wide), dilations, kernel_sizes, strides, strict=True)
    ]
    taps = widened(X).reshape(X.shape[0], -1, rows, columns, *outs)
    total = np.zeros((*taps.shape[:2], tall, wide), taps.dtype)
    for row in range(rows):
        for column in range(columns):
            y, x = row * dilations[0], column * dilations[1]
            total[
                :, :, y : y + outs[0] * strides[0] : strides[0], x : x + outs[1] * strides[1] : strides[1]
            ] += taps[:, :, row, column]
    return total[:, :, top : top + height, left : left + width].astype(X.dtype)


@kernel("maxout")
def maxout(X: Array, *, groups: int, axis: int) -> Array:
    """Paddle maxout: the maximum of each `groups` neighbouring channels."""
    place = axis % X.ndim
    split = X.reshape(*X.shape[:place], X.shape[place] // groups, groups, *X.shape[place + 1 :])
    return np.asarray(split.max(place + 1))


@kernel("swiglu")
def swiglu(x: Array, y: Array | None) -> Array:
    """Paddle swiglu: swish(x) · y; without y, the halves of the last axis of x are x and y."""
    first, second = np.split(x, 2, -1) if y is None else (x, y)
    return np.asarray(activate("swish", first, (1.0,)) * second)
