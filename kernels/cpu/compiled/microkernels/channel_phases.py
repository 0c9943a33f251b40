"""Padding of a channel of a volume, whose rows and columns are parted by their remainders by the stride."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inlined
from lite.kernels.cpu.compiled.jit.vector import clear, part_pairs, part_some_pairs, prefetch
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.compiled.microkernels.volumes import (
    ABOVE,
    DEPTH,
    DOWN_STRIDE,
    FRONT,
    HEIGHT,
    LEFT,
    PADDED_DEPTH,
    PADDED_HEIGHT,
    PADDED_WIDTH,
    RIGHT_STRIDE,
    WIDTH,
)
from lite.kernels.cpu.tile_sizes import LANES

_LINE = 16
"""Elements of a line of memory."""


@inlined
def rows_and_columns(geometry: Any) -> Any:
    """The rows and columns of a padded plane that lie together: see `pad_channel`."""
    rows = (geometry[PADDED_HEIGHT] + geometry[DOWN_STRIDE] - 1) // geometry[DOWN_STRIDE]
    return rows, (geometry[PADDED_WIDTH] + geometry[RIGHT_STRIDE] - 1) // geometry[RIGHT_STRIDE]


@inlined
def pad_channel(x: Any, source: int, geometry: Any, volume: Any, start: int) -> None:
    """Copy the volume of a channel with its padding; what the padded volume does not span is cut.

    From `start` on, `volume` is ``[PADDED_DEPTH, DOWN_STRIDE, RIGHT_STRIDE, rows, columns]``: rows and
    columns with the same remainders lie together.
    """
    rows, columns = rows_and_columns(geometry)
    if geometry[RIGHT_STRIDE] == 1:
        _pad_channel(x, source, geometry, rows, columns, 1, volume, start)
    elif geometry[RIGHT_STRIDE] == 2:
        _pad_channel(x, source, geometry, rows, columns, 2, volume, start)
    else:
        _pad_channel(x, source, geometry, rows, columns, geometry[RIGHT_STRIDE], volume, start)


@inlined
def _pad_channel(
    x: Any, source: int, geometry: Any, rows: int, columns: int, stride: int, volume: Any, start: int
) -> None:
    """`pad_channel`, in which a constant `stride` makes the loops short."""
    for z in range(geometry[PADDED_DEPTH]):
        plane = z - geometry[FRONT]
        for down in range(geometry[DOWN_STRIDE]):
            part = start + (z * geometry[DOWN_STRIDE] + down) * stride * rows * columns
            for y in range(rows):
                row, dest = y * geometry[DOWN_STRIDE] + down - geometry[ABOVE], part + y * columns
                if plane < 0 or plane >= geometry[DEPTH] or row < 0 or row >= geometry[HEIGHT]:
                    for right in range(stride):
                        clear(volume, dest + right * rows * columns, columns)
                    continue
                place = source + (plane * geometry[HEIGHT] + row) * geometry[WIDTH]
                # The next plane comes from memory.
                for n in range(0, geometry[WIDTH], _LINE):
                    prefetch(x, place + geometry[HEIGHT] * geometry[WIDTH] + n)
                if stride == 2 and geometry[LEFT] >= 0:
                    _part_row(x, place, geometry[WIDTH], geometry[LEFT], volume, dest, rows, columns)
                else:
                    for right in range(stride):
                        shift = right - geometry[LEFT]
                        first, last = _inside(geometry[WIDTH], shift, stride, columns)
                        to = dest + right * rows * columns
                        _clear_few(volume, to, first)
                        if stride == 1:
                            copy_row(x, place + shift + first, volume, to + first, last - first)
                        else:
                            for n in range(first, last):
                                volume[to + n] = x[place + shift + n * stride]
                        _clear_few(volume, to + last, columns - last)


@inlined
def _part_row(
    x: Any, place: int, width: int, left: int, volume: Any, dest: int, rows: int, columns: int
) -> None:
    """Copy a row of `width` elements with `left` zeros before it, even and odd columns to two rows."""
    # The even elements are even columns, or after an odd number of zeros odd ones.
    even, odd = left // 2, (left + 1) // 2
    evens, odds = dest + even, dest + rows * columns + odd
    if left % 2:
        evens, odds = dest + rows * columns + even, dest + odd
    pairs = max(min(width // 2, columns - odd), 0)
    n = 0
    while n < pairs:
        if n + LANES <= pairs:
            part_pairs(x, place + 2 * n, volume, evens + n, odds + n)
        elif pairs >= LANES:
            # The last vectors are moved back over elements that were copied before.
            n = pairs - LANES
            part_pairs(x, place + 2 * n, volume, evens + n, odds + n)
        else:
            part_some_pairs(x, place, pairs, volume, evens, odds)
        n += LANES
    for right in range(2):
        shift, to = right - left, dest + right * rows * columns
        first, last = _inside(width, shift, 2, columns)
        _clear_few(volume, to, first)
        for n in range(first + pairs, last):
            volume[to + n] = x[place + shift + 2 * n]
        _clear_few(volume, to + last, columns - last)


@inlined
def _inside(width: int, shift: int, stride: int, columns: int) -> Any:
    """The columns whose elements, `stride` apart from `shift` on, are inside a row, as a range."""
    first = min(max((stride - 1 - shift) // stride, 0), columns)
    return first, max(min((width - shift + stride - 1) // stride, columns), first)


@inlined
def _clear_few(volume: Any, start: int, count: int) -> None:
    for n in range(start, start + count):
        volume[n] = 0.0
