"""Windows of images as columns and rows, and back: unfold, im2sequence and col2im."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.padded import padded, patches
from lite.kernels.host.sequence.lod import offsets_of
from lite.ops.window import paddings_by_axis, windows
from lite.plugin.kernel import Array, kernel, write


@kernel("unfold")
def unfold(
    X: Array,
    *,
    kernel_sizes: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
    out: Array | None = None,
) -> Array:
    """``[N, C·kh·kw, Ho·Wo]``: every window as a column."""
    found = windows(X.shape[2:], kernel_sizes, strides, dilations, paddings_by_axis(paddings), "EXPLICIT")
    outs = [int(window.out(size)) for window, size in zip(found, X.shape[2:], strict=True)]
    view = patches(padded(X, found, outs), found, outs)
    n, c, kh, kw, height, width = view.shape
    return write(out, np.array(view, order="C").reshape(n, c * kh * kw, height * width))


@kernel("im2sequence")
def im2sequence(
    X: Array,
    Y: Array | None,
    *,
    kernels: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    out_stride: Sequence[int],
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[Array, dict[str, list[Lod]]]:
    """Every window as a row ``[C·kh·kw]``; each image is one sequence.

    Y ``[N, 2]`` gives height and width of each image before it was scaled down by `out_stride`: windows
    cover that much of the image, or beyond, where there are zeros.
    """
    sizes = np.broadcast_to(X.shape[2:], (X.shape[0], 2))
    if Y is not None and X.shape[0] > 1:
        sizes = -(-Y.reshape(-1, 2).astype(np.int64) // np.array(out_stride))
    found = windows(X.shape[2:], kernels, strides, (1, 1), paddings_by_axis(paddings), "EXPLICIT")
    counts = np.stack(
        [[int(w.out(int(size))) for w, size in zip(found, image, strict=True)] for image in sizes]
    )
    outs = counts.max(axis=0).tolist()
    rows = patches(padded(X, found, outs), found, outs).transpose(0, 4, 5, 1, 2, 3)
    width = X.shape[1] * kernels[0] * kernels[1]
    sequences = [image[:h, :w].reshape(h * w, width) for image, (h, w) in zip(rows, counts, strict=True)]
    return np.concatenate(sequences), {"Out": [(offsets_of(len(rows) for rows in sequences),)]}


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
