"""Nearest and bilinear resizing of images in NHWC."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import copy, fma, load_part, splat, store_part
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "w", "n", "n", "n")
def take(x: Any, out: Any, rows: Any, columns: Any, sizes: Any, begin: int, end: int) -> None:
    """Output rows `begin` to `end`, counted over the batch: ``out[n, i, j] = x[n, rows[i], columns[j]]``.

    `sizes` are the image's height, width and channels, and the output's numbers of rows and columns.
    """
    height, width, channels, out_rows, out_columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, out_rows)
        dest = line * out_columns * channels
        if y > 0 and line > begin and rows[y] == rows[y - 1]:
            copy(out, dest, out, dest - out_columns * channels, out_columns * channels)
            continue
        source = (n * height + rows[y]) * width * channels
        for column in range(out_columns):
            place = source + columns[column] * channels
            for channel in range(0, channels, LANES):
                count = channels - channel
                store_part(load_part(x, place + channel, count), out, dest + channel, count)
            dest += channels


@entry("r", "w", "n", "n", "r", "n", "n", "r", "n")
def blend(
    x: Any, out: Any, tops: Any, bottoms: Any, down: Any, lefts: Any, rights: Any, right: Any, sizes: Any,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Like `take`, with a weighted mean of four pixels.

    They are at rows `tops` and `bottoms`, columns `lefts` and `rights`; `down` are the weights of the rows
    `bottoms`, `right` those of the columns `rights`.
    """
    height, width, channels, out_rows, out_columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, out_rows)
        above = (n * height + tops[y]) * width * channels
        below = (n * height + bottoms[y]) * width * channels
        lower = splat(down[y])
        upper = splat(1.0) - lower
        for column in range(out_columns):
            dest = (line * out_columns + column) * channels
            right_weight = splat(right[column])
            left_weight = splat(1.0) - right_weight
            first, second = lefts[column] * channels, rights[column] * channels
            for channel in range(0, channels, LANES):
                count = channels - channel
                a = load_part(x, above + first + channel, count) * left_weight
                a = fma(load_part(x, above + second + channel, count), right_weight, a)
                b = load_part(x, below + first + channel, count) * left_weight
                b = fma(load_part(x, below + second + channel, count), right_weight, b)
                store_part(fma(b, lower, a * upper), out, dest + channel, count)
