"""Depthwise convolution: a sum over the taps of shifted planes, tile by tile.

The rows of a channel are laid out one after the other, once per phase of the strides, with their borders.
A tap is then a shift along them, so the inner loops run over whole tiles whatever the width of the image;
what they compute for the borders at the sides is left behind when a tile is stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.convolution.convolution import Algorithm
from lite.kernels.host.convolution.epilogue import TILE_BYTES, Epilogue, tile_rows
from lite.ops.window import Window
from lite.plugin.kernel import Array


@dataclass(frozen=True)
class _Tiles:
    """How the work is cut: `block` channels and `rows` rows at a time, in planes of `tall` × `wide`."""

    tall: int
    wide: int
    block: int
    rows: int


def depthwise(channels: int, windows: Sequence[Window], outs: Sequence[int], itemsize: int) -> Algorithm:
    """For so many channels and `outs` ``[C·multiplier, Ho, Wo]``; weights ``[C·multiplier, kh, kw]``."""
    _, height, width = outs
    tall, wide = (_phase_size(w, n) for w, n in zip(windows, (height, width), strict=True))
    block = max(1, min(channels, TILE_BYTES // (3 * tall * wide * itemsize)))
    rows = height if block > 1 else tile_rows(height, 3 * wide * itemsize)
    tiles = _Tiles(tall, wide, block, rows)

    def sums(x: Array, weight: Array, out: Array, epilogue: Epilogue, room: Array) -> None:
        _sums(x, weight, windows, out, epilogue, tiles, room)

    planes = math.prod(w.stride for w in windows) * block * (tall + 1) * wide
    tile = block * rows * wide
    return Algorithm(sums, planes + 2 * tile, tile)


def _sums(
    x: Array,
    weight: Array,
    windows: Sequence[Window],
    out: Array,
    epilogue: Epilogue,
    tiles: _Tiles,
    room: Array,
) -> None:
    down, right = windows
    batch, outputs, height, width = out.shape
    channels = x.shape[1]
    multiplier = outputs // channels
    tall, wide, block, rows = tiles.tall, tiles.wide, tiles.block, tiles.rows
    tile_size = block * rows * wide
    sums, product, rest = room[:tile_size], room[tile_size : 2 * tile_size], room[2 * tile_size :]
    # The last row of the last tap is read to its end, beyond the plane where it is shifted.
    planes = rest.reshape(down.stride, right.stride, block, (tall + 1) * wide)
    planes.fill(0)
    with small_buffers():
        for n in range(batch):
            for first in range(0, channels, block):
                count = min(block, channels - first)
                _load(x[n, first : first + count], windows, planes[:, :, :count], tall, wide)
                for nth in range(multiplier):
                    start = first * multiplier + nth
                    chosen = slice(start, start + (count - 1) * multiplier + 1, multiplier)
                    for row in range(0, height, rows):
                        stop = min(row + rows, height)
                        length = (stop - row) * wide
                        tile = sums[: count * length].reshape(count, length)
                        part = product[: count * length].reshape(count, length)
                        taps = planes[:, :, :count, row * wide :]
                        _sum_taps(taps, weight[chosen], windows, wide, tile, part)
                        kept = tile.reshape(count, stop - row, wide)[:, :, :width]
                        epilogue.store(kept, out, n, chosen, slice(row, stop))


def _sum_taps(
    planes: Array, weight: Array, windows: Sequence[Window], wide: int, sums: Array, product: Array
) -> None:
    down, right = windows
    for i in range(down.kernel):
        row, row_phase = divmod(i * down.dilation, down.stride)
        for j in range(right.kernel):
            column, column_phase = divmod(j * right.dilation, right.stride)
            start = row * wide + column
            tap = planes[row_phase, column_phase, :, start : start + sums.shape[1]]
            factor = weight[:, i, j, None]
            if i == j == 0:
                np.multiply(tap, factor, out=sums)
            else:
                np.multiply(tap, factor, out=product)
                np.add(sums, product, out=sums)


def _phase_size(window: Window, out: int) -> int:
    return out + (window.extent - 1) // window.stride


def _load(x: Array, windows: Sequence[Window], planes: Array, tall: int, wide: int) -> None:
    """Write `x` ``[C, H, W]`` into its phases; the borders stay as they are."""
    down, right = windows
    images = planes[..., : tall * wide].reshape(down.stride, right.stride, len(x), tall, wide)
    for a in range(down.stride):
        to_rows, from_rows = _phase(down, a, x.shape[1], tall)
        for b in range(right.stride):
            to_columns, from_columns = _phase(right, b, x.shape[2], wide)
            images[a, b, :, to_rows, to_columns] = x[:, from_rows, from_columns]


def _phase(window: Window, phase: int, size: int, room: int) -> tuple[slice, slice]:
    """Where elements ``phase, phase + stride, …`` of a padded axis lie in their plane and in the image."""
    first = max(-((phase - window.before) // window.stride), 0)
    source = phase + first * window.stride - window.before
    count = max(min(-(-(size - source) // window.stride), room - first), 0)
    return slice(first, first + count), slice(source, source + count * window.stride, window.stride)
