"""Maxima of the bins of boxes of whole pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import splat, store_part
from lite.kernels.cpu.compiled.pool import combine_row
from lite.kernels.cpu.tile_sizes import LANES

_MOST = 1 << 30
"""The largest edge: edges outside of the image are cut, however far."""


@inner
def _pixel(at: Any) -> int:
    """A position rounded to a whole pixel, halves away from zero."""
    edge: Any = min(np.floor(abs(np.float64(at)) + 0.5), float(_MOST))
    return int(-edge if at < 0 else edge)


@inner
def _put_edges(first: int, last: int, count: int, size: int, row: Any, start: int) -> None:
    """Write the begin and the end of `count` bins of the pixels `first` to `last`, cut to the image."""
    step = np.float32(max(last - first + 1, 1)) / np.float32(count)
    for n in range(count):
        begin = first + int(np.floor(np.float32(n) * step))
        end = first + int(np.ceil(np.float32(n + 1) * step))
        row[start + 2 * n] = min(max(begin, 0), size)
        row[start + 2 * n + 1] = min(max(end, 0), size)


@entry("r", "r", "w", "s", "i", "i", "i", "i", "i", "i", "f")
def roi_pool(
    x: Any, boxes: Any, out: Any, row: Any, batch: int, channels: int, height: int, width: int, rows: int,
    columns: int, scale: float, begin: int, end: int,
) -> None:  # fmt: skip
    """The bins ``[rows, columns]`` of boxes `begin` to `end`, (image, x1, y1, x2, y2), in all channels.

    Edges are multiplied by `scale` and rounded; the caller checks that the images are in the range -`batch`
    to `batch` - 1.  Bins are computed with float32, as in ONNX Runtime.  An empty bin is 0.  `row` is
    scratch memory for a row of the image, and the ends of all bins, which are exact as float32.
    """
    for box in range(begin, end):
        image, across = int(boxes[5 * box]), width + 2 * rows
        image += batch if image < 0 else 0
        left, top = _pixel(boxes[5 * box + 1] * scale), _pixel(boxes[5 * box + 2] * scale)
        right, bottom = _pixel(boxes[5 * box + 3] * scale), _pixel(boxes[5 * box + 4] * scale)
        _put_edges(top, bottom, rows, height, row, width)
        _put_edges(left, right, columns, width, row, across)
        first = int(row[across])
        span = int(row[across + 2 * columns - 1]) - first
        for channel in range(channels):
            plane, dest = (image * channels + channel) * height * width, (box * channels + channel) * rows
            for i in range(rows):
                low, high = int(row[width + 2 * i]), int(row[width + 2 * i + 1])
                for n in range(0, span, LANES):
                    store_part(splat(np.float32(-np.inf)), row, n, span - n)
                for y in range(low, high):
                    combine_row(x, plane + y * width + first, row, span, 1)
                for j in range(columns):
                    start, stop = int(row[across + 2 * j]) - first, int(row[across + 2 * j + 1]) - first
                    best = np.float32(-np.inf) if low < high and start < stop else np.float32(0.0)
                    for n in range(start, stop if low < high else start):
                        # A comparison that is true for NaN, which remains.
                        best = row[n] if not row[n] <= best and best == best else best
                    out[(dest + i) * columns + j] = best
