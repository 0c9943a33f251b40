"""Maximum and average pooling of images in NHWC."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load, load_part, maximum, splat, store, store_part
from lite.kernels.cpu.tile_sizes import LANES


@inner
def combine_row(x: Any, start: int, row: Any, width: int, is_max: int) -> None:
    """Combine the elements of `row` with those of `x` from `start` on."""
    whole = width // LANES * LANES
    rest = width - whole
    if is_max:
        for n in range(0, whole, LANES):
            store(maximum(load(row, n), load(x, start + n)), row, n)
        if rest:
            v = maximum(load_part(row, whole, rest), load_part(x, start + whole, rest))
            store_part(v, row, whole, rest)
    else:
        for n in range(0, whole, LANES):
            store(load(row, n) + load(x, start + n), row, n)
        if rest:
            store_part(load_part(row, whole, rest) + load_part(x, start + whole, rest), row, whole, rest)


@inner
def _whole(
    x: Any, place: int, rows: int, row_step: int, columns: int, step: int, first: Any, is_max: int
) -> Any:
    """Combine a vector of channels over a window of `rows` and `columns` from index `place` on."""
    combined = first
    for i in range(rows):
        for j in range(columns):
            v = load(x, place + i * row_step + j * step)
            combined = maximum(combined, v) if is_max else combined + v
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
            combined = maximum(combined, v) if is_max else combined + v
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


@entry("r", "w", "n", "n", "n", "n", "r", "s", "i", "f", "n")
def pool_by_axes(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, factors: Any, row: Any, is_max: int,
    lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Like `pool`, by windows along columns, then along rows; `row` is scratch memory for a row of the image.

    Large windows with small strides share most of the work along columns.
    """
    height, width, channels, rows, columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    elements, whole = width * channels, channels // LANES * LANES
    for line in range(begin, end):
        n, y = divmod(line, rows)
        first = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
        for place in range(0, elements, LANES):
            store_part(first, row, place, elements - place)
        for i in range(tops[y], bottoms[y]):
            combine_row(x, (n * height + i) * elements, row, elements, is_max)
        for column in range(columns):
            dest = (line * columns + column) * channels
            factor = splat(factors[y * columns + column])
            is_empty = tops[y] >= bottoms[y] or lefts[column] >= rights[column]
            start = splat(lowest) if is_max and is_empty else first
            place, across = lefts[column] * channels, max(rights[column] - lefts[column], 0)
            for channel in range(0, whole, LANES):
                v = _whole(row, place + channel, 1, 0, across, channels, start, is_max)
                store(v if is_max else v * factor, out, dest + channel)
            if whole < channels:
                count = channels - whole
                v = _part(row, place + whole, 1, 0, across, channels, start, is_max, count)
                store_part(v if is_max else v * factor, out, dest + whole, count)
