"""Depthwise convolution: a sum over the taps of shifted planes, tile by tile.

Each channel is laid out once per phase of the strides, with its border, as one long row.  A tap is
then a shift along it, so the inner loops run over whole tiles whatever the image's width.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.epilogue import TILE_BYTES, Epilogue, tile_rows
from lite.ops.window import Window
from lite.plugin.kernel import Array


def depthwise(x: Array, weight: Array, windows: Sequence[Window], out: Array, epilogue: Epilogue) -> None:
    """`x` ``[N, C, H, W]``, `weight` ``[C·multiplier, kh, kw]``, `out` ``[N, C·multiplier, Ho, Wo]``."""
    down, right = windows
    batch, outputs, height, width = out.shape
    channels = x.shape[1]
    tall, wide = (_phase_size(w, n) for w, n in zip(windows, (height, width), strict=True))
    plane_bytes = tall * wide * x.itemsize
    block = max(1, min(channels, TILE_BYTES // max(3 * plane_bytes, 1)))
    step = tile_rows(height, 3 * block * wide * x.itemsize)
    planes = np.zeros((down.stride, right.stride, block, tall * wide), x.dtype)
    sums = np.empty((block, step, wide), x.dtype)
    product = np.empty((block, step * wide), x.dtype)
    multiplier = outputs // channels
    for n in range(batch):
        for first in range(0, channels, block):
            last = min(first + block, channels)
            count = last - first
            _load(x[n, first:last], windows, planes.reshape(down.stride, right.stride, block, tall, wide))
            for nth in range(multiplier):
                chosen = slice(first * multiplier + nth, (last - 1) * multiplier + nth + 1, multiplier)
                for row in range(0, height, step):
                    rows = slice(row, min(row + step, height))
                    length = (rows.stop - row - 1) * wide + width
                    start = row * wide
                    _sum_taps(
                        planes[:, :, :count, start:],
                        weight[chosen],
                        windows,
                        wide,
                        sums.reshape(block, -1)[:count, :length],
                        product[:count, :length],
                    )
                    epilogue.store(sums[:count, : rows.stop - row, :width], out, n, chosen, rows)


def _sum_taps(
    planes: Array, weight: Array, windows: Sequence[Window], wide: int, sums: Array, product: Array
) -> None:
    down, right = windows
    length = sums.shape[1]
    for i in range(down.kernel):
        row, row_phase = divmod(i * down.dilation, down.stride)
        for j in range(right.kernel):
            column, column_phase = divmod(j * right.dilation, right.stride)
            start = row * wide + column
            tap = planes[row_phase, column_phase, :, start : start + length]
            factor = weight[:, i, j, None]
            if i == j == 0:
                np.multiply(tap, factor, out=sums)
            else:
                np.multiply(tap, factor, out=product)
                np.add(sums, product, out=sums)


def _phase_size(window: Window, out: int) -> int:
    return out + (window.extent - 1) // window.stride


def _load(x: Array, windows: Sequence[Window], planes: Array) -> None:
    """Write `x` ``[C, H, W]`` into its phases; the borders stay as they are."""
    down, right = windows
    for a in range(down.stride):
        to_rows, from_rows = _phase(down, a, x.shape[1], planes.shape[3])
        for b in range(right.stride):
            to_columns, from_columns = _phase(right, b, x.shape[2], planes.shape[4])
            planes[a, b, : x.shape[0], to_rows, to_columns] = x[:, from_rows, from_columns]


def _phase(window: Window, phase: int, size: int, room: int) -> tuple[slice, slice]:
    """Where elements ``phase, phase + stride, …`` of a padded axis lie in their plane and in the image."""
    first = max(-(-(window.before - phase) // window.stride), 0)
    source = phase + first * window.stride - window.before
    count = max(min(-(-(size - source) // window.stride), room - first), 0)
    return slice(first, first + count), slice(source, source + count * window.stride, window.stride)
