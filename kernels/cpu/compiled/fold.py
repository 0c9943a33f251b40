"""Columns added up in images."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import clear, load, load_part, store, store_part
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _add_row(x: Any, source: int, out: Any, dest: int, count: int, stride: int) -> None:
    """Add `count` elements to those of `out` that are `stride` apart."""
    if stride != 1:
        for n in range(count):
            out[dest + n * stride] += x[source + n]
        return
    whole = count // LANES * LANES
    for n in range(0, whole, LANES):
        store(load(out, dest + n) + load(x, source + n), out, dest + n)
    if whole < count:
        rest = count - whole
        v = load_part(out, dest + whole, rest) + load_part(x, source + whole, rest)
        store_part(v, out, dest + whole, rest)


@entry("r", "w", "n")
def fold(x: Any, out: Any, sizes: Any, begin: int, end: int) -> None:
    """Planes `begin` to `end` of images, counted over the batch, from the columns of their windows.

    `sizes` are along both axes in turn the sizes of the image, of the block, the numbers of windows, strides,
    dilations and paddings before.  A plane's columns are ``x[block, windows]``; elements of a window that are
    in the padding are left out.
    """
    height, width, block, block_width = sizes[0], sizes[1], sizes[2] * sizes[3], sizes[3]
    rows, columns, down, right = sizes[4], sizes[5], sizes[6], sizes[7]
    for plane in range(begin, end):
        clear(out, plane * height * width, height * width)
        for tap in range(block):
            top = tap // block_width * sizes[8] - sizes[10]
            left = tap % block_width * sizes[9] - sizes[11]
            # The windows whose element is in the image.
            first = max(0, (right - 1 - left) // right)
            last = min(columns, (width - 1 - left) // right + 1)
            for row in range(rows):
                y = row * down + top
                if 0 <= y < height and first < last:
                    source = ((plane * block + tap) * rows + row) * columns + first
                    dest = (plane * height + y) * width + left + first * right
                    _add_row(x, source, out, dest, last - first, right)
