"""Maximum and average pooling of images in NHWC."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.vector import load, load_part, maximum, splat, store, store_part
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _whole(
    x: Any, place: int, rows: int, row_step: int, columns: int, step: int, first: Any, is_max: int
) -> Any:
    """Combine a vector of channels over a window of `rows` and `columns` from index `place` on."""
    combined = first
    for i in range(rows):
        for j in range(columns):
            v = load(x, place + i * row_step + j * step)
            combined = maximum(v, combined) if is_max else combined + v
    return combined


@inner
def _part(
    x: Any, place: int, rows: int, row_step: int, columns: int, step: int, first: Any, is_max: int, count: int
) -> Any:
    """Like `_whole`, of `count` channels."""
    combined = first
    for i in range(rows):
        for j in range(columns):
            v = load_part(x, place + i * row_step + j * step, count)
            combined = maximum(v, combined) if is_max else combined + v
    return combined


@entry("r", "w", "n", "n", "n", "n", "r", "i", "f", "n")
def pool(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, factors: Any, is_max: int,
    lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch.

    Window y, x spans rows ``tops[y]`` to ``bottoms[y]`` and columns ``lefts[x]`` to ``rights[x]``.  Its sum
    is multiplied by ``factors[y · columns + x]``; the maximum of an empty window is `lowest`.  `sizes` are
    the image's height, width and channels, and the output's rows and columns.
    """
    height, width, channels, rows, columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, rows)
        for column in range(columns):
            dest = (line * columns + column) * channels
            factor = splat(factors[y * columns + column])
            is_empty = tops[y] >= bottoms[y] or lefts[column] >= rights[column]
            first = lowest if is_empty else np.float32(-np.inf)
            start = splat(first) if is_max else splat(0.0)
            place = ((n * height + tops[y]) * width + lefts[column]) * channels
            down, across = max(bottoms[y] - tops[y], 0), max(rights[column] - lefts[column], 0)
            whole = channels // LANES * LANES
            for channel in range(0, whole, LANES):
                v = _whole(x, place + channel, down, width * channels, across, channels, start, is_max)
                store(v if is_max else v * factor, out, dest + channel)
            if whole < channels:
                count = channels - whole
                v = _part(x, place + whole, down, width * channels, across, channels, start, is_max, count)
                store_part(v if is_max else v * factor, out, dest + whole, count)
