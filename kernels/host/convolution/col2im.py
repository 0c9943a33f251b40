"""col2im, center_crop_pad, depth_to_space and space_to_depth on the host."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.plugin.kernel import Array, kernel, write

Index = tuple[Any, ...]


@kernel("col2im")
def col2im(
    X: Array,
    ImageShape: Array,
    BlockShape: Array,
    *,
    dilations: Sequence[int],
    pads: Sequence[int],
    strides: Sequence[int],
) -> Array:
    """Columns ``[N, C·block, positions]`` summed where blocks at these positions lie in an image."""
    image, block = ([int(size) for size in sizes] for sizes in (ImageShape, BlockShape))
    rank = len(image)
    steps, gaps, sides = strides or [1] * rank, dilations or [1] * rank, pads or [0] * (2 * rank)
    padded = [size + sides[n] + sides[n + rank] for n, size in enumerate(image)]
    counts = [
        (size - gap * (k - 1) - 1) // step + 1
        for size, gap, k, step in zip(padded, gaps, block, steps, strict=True)
    ]
    channels = X.shape[1] // int(np.prod(block))
    columns = X.reshape(len(X), channels, *block, *counts)
    out = np.zeros((len(X), channels, *padded), X.dtype)
    for tap in itertools.product(*map(range, block)):
        to: Index = (
            ...,
            *(
                slice(t * gap, t * gap + (count - 1) * step + 1, step)
                for t, gap, count, step in zip(tap, gaps, counts, steps, strict=True)
            ),
        )
        at: Index = (slice(None), slice(None), *tap)
        out[to] += columns[at]
    inside: Index = (..., *(slice(sides[n], sides[n] + size) for n, size in enumerate(image)))
    return out[inside]


@kernel("center_crop_pad")
def center_crop_pad(X: Array, Shape: Array, *, axes: Sequence[int]) -> Array:
    """The middle of `X` along `axes` (none: all), or `X` in the middle of zeros."""
    which = [axis % X.ndim for axis in axes] or list(range(X.ndim))
    shape = list(X.shape)
    taken, filled = [slice(None)] * X.ndim, [slice(None)] * X.ndim
    for axis, size in zip(which, (int(size) for size in Shape), strict=True):
        spare = abs(shape[axis] - size) // 2
        if size < shape[axis]:
            taken[axis] = slice(spare, spare + size)
        else:
            filled[axis] = slice(spare, spare + shape[axis])
        shape[axis] = size
    out = np.zeros(shape, X.dtype)
    out[tuple(filled)] = X[tuple(taken)]
    return out


@kernel("depth_to_space")
def depth_to_space(X: Array, *, blocksize: int, out: Array | None = None) -> Array:
    """Channels, of which the squares of pixels are the outer part, become squares of pixels."""
    n, c, h, w = X.shape
    r = blocksize
    blocks = X.reshape(n, r, r, c // r**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    return write(out, np.array(blocks, order="C").reshape(n, c // r**2, h * r, w * r))


@kernel("space_to_depth")
def space_to_depth(X: Array, *, blocksize: int, channels_first: bool, out: Array | None = None) -> Array:
    """Squares of pixels become channels: the outer part of them, or with `channels_first` the inner."""
    n, c, h, w = X.shape
    r = blocksize
    blocks = X.reshape(n, c, h // r, r, w // r, r)
    moved = blocks.transpose(0, 1, 3, 5, 2, 4) if channels_first else blocks.transpose(0, 3, 5, 1, 2, 4)
    return write(out, np.array(moved, order="C").reshape(n, c * r**2, h // r, w // r))
