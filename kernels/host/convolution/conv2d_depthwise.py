"""Depthwise convolution: a sum over the taps of shifted planes, tile by tile.

A plane holds the rows of a channel and their borders one after another, once per phase of the strides.  A
tap is then a shift along the plane, so the inner loops run over whole tiles for any width of the image.
The elements that they compute for the borders at the sides are not stored.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.convolution.convolution import Algorithm
from lite.kernels.host.convolution.epilogue import TILE_BYTES, Epilogue, tile_rows
from lite.ops.window import Window
from lite.plugin.kernel import Array


def depthwise(
    batch: int, channels: int, windows: Sequence[Window], outs: Sequence[int], itemsize: int
) -> Algorithm:
    """The algorithm for `channels` channels of `batch` images and results `outs` ``[C·multiplier, Ho, Wo]``.

    Packed weights are ``[C·multiplier, kh, kw]``.  Work is done for `images` images, `block` channels and
    `rows` rows at a time, in planes of `tall` × `wide` elements; several images only if all fit.
    """
    outputs, height, width = outs
    down, right = windows
    multiplier = outputs // channels
    tall, wide = (_phase_size(w, n) for w, n in zip(windows, (height, width), strict=True))
    fitting = max(1, TILE_BYTES // (3 * tall * wide * itemsize))
    block, images = min(channels, fitting), max(1, min(batch, fitting // channels))
    rows = height if images * block > 1 else tile_rows(height, 3 * wide * itemsize)
    tile_size = images * block * rows * wide

    def compute(x: Array, weight: Array, out: Array, epilogue: Epilogue, workspace: Array) -> None:
        accumulator, product, rest = np.split(workspace, (tile_size, 2 * tile_size))
        # The last row of the last tap is read to its end, beyond the plane where it is shifted.
        planes = rest.reshape(down.stride, right.stride, images, block, (tall + 1) * wide)
        planes.fill(0)
        with small_buffers():
            for n, first in itertools.product(range(0, len(out), images), range(0, channels, block)):
                some = x[n : n + images, first : first + block]
                few, count = some.shape[:2]
                _load(some, windows, planes[:, :, :few, :count], tall, wide)
                for start in range(first * multiplier, (first + 1) * multiplier):
                    filters = slice(start, start + (count - 1) * multiplier + 1, multiplier)
                    for row in range(0, height, rows):
                        stop = min(row + rows, height)
                        length = (stop - row) * wide
                        tile = accumulator[: few * count * length].reshape(few, count, length)
                        part = product[: few * count * length].reshape(few, count, length)
                        taps = planes[:, :, :few, :count, row * wide :]
                        _sum_taps(taps, weight[filters], windows, wide, tile, part)
                        finished = tile.reshape(few, count, stop - row, wide)[..., :width]
                        epilogue.apply(finished, out, slice(n, n + few), filters, slice(row, stop))

    planes_size = math.prod(w.stride for w in windows) * images * block * (tall + 1) * wide
    return Algorithm(compute, planes_size + 2 * tile_size, tile_size)


def _sum_taps(
    planes: Array, weight: Array, windows: Sequence[Window], wide: int, accumulator: Array, product: Array
) -> None:
    down, right = windows
    for i in range(down.kernel):
        row, row_phase = divmod(i * down.dilation, down.stride)
        for j in range(right.kernel):
            column, column_phase = divmod(j * right.dilation, right.stride)
            start = row * wide + column
            tap = planes[row_phase, column_phase, :, :, start : start + accumulator.shape[-1]]
            factor = weight[:, i, j, None]
            if i == j == 0:
                np.multiply(tap, factor, out=accumulator)
            else:
                np.multiply(tap, factor, out=product)
                np.add(accumulator, product, out=accumulator)


def _phase_size(window: Window, out: int) -> int:
    return out + (window.extent - 1) // window.stride


def _load(x: Array, windows: Sequence[Window], planes: Array, tall: int, wide: int) -> None:
    """Write `x` ``[N, C, H, W]`` into the planes of its phases; the borders are not changed."""
    down, right = windows
    images = planes[..., : tall * wide].reshape(down.stride, right.stride, *x.shape[:2], tall, wide)
    for a in range(down.stride):
        to_rows, from_rows = _phase(down, a, x.shape[2], tall)
        for b in range(right.stride):
            to_columns, from_columns = _phase(right, b, x.shape[3], wide)
            images[a, b, :, :, to_rows, to_columns] = x[:, :, from_rows, from_columns]


def _phase(window: Window, phase: int, size: int, plane: int) -> tuple[slice, slice]:
    """The slices of a plane and of the image for elements ``phase, phase + stride, …`` of a padded axis."""
    first = max(-((phase - window.before) // window.stride), 0)
    source = phase + first * window.stride - window.before
    count = max(min(-(-(size - source) // window.stride), plane - first), 0)
    return slice(first, first + count), slice(source, source + count * window.stride, window.stride)
