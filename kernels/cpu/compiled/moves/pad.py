"""Borders of tensors."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load, splat, store, store_part
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _fill(out: Any, dest: int, count: int, value: float) -> None:
    filling = splat(value)
    for n in range(0, count, LANES):
        store_part(filling, out, dest + n, count - n)


@inner
def _border(
    x: Any, source: int, columns: Any, first: int, last: int, depth: int, out: Any, dest: int, value: float
) -> None:
    """The columns `first` to `last` of a row of elements of `depth` numbers."""
    if columns[first] < 0:
        # Columns of constants are neighbours.
        _fill(out, dest + first * depth, (last - first) * depth, value)
        return
    for column in range(first, last):
        copy_row(x, source + columns[column] * depth, out, dest + column * depth, depth)


@inner
def _rows_of_numbers(
    x: Any, out: Any, rows: Any, columns: Any, value: float, width: int, start: int, stop: int,
    out_width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """`pad_rows` of single numbers, whose rows may be short."""
    middle = columns[start]
    left, right = columns[0] < 0, columns[out_width - 1] < 0
    for row in range(begin, end):
        dest = row * out_width
        if rows[row] < 0:
            _fill(out, dest, out_width, value)
            continue
        source = rows[row] * width
        for column in range(start):
            out[dest + column] = value if left else x[source + columns[column]]
        count = stop - start
        if count >= LANES:
            last = count - LANES
            for n in range(0, last, LANES):
                store(load(x, source + middle + n), out, dest + start + n)
            store(load(x, source + middle + last), out, dest + start + last)
        else:
            for n in range(count):
                out[dest + start + n] = x[source + middle + n]
        for column in range(stop, out_width):
            out[dest + column] = value if right else x[source + columns[column]]


@entry("r", "w", "n", "n", "f", "i", "i", "i", "i", "i")
def pad_rows(
    x: Any, out: Any, rows: Any, columns: Any, value: float, width: int, inner: int, start: int, stop: int,
    out_width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[r, c, :] = x[rows[r], columns[c], :]``, and `value` where the row or the column is -1.

    `x` has rows of `width` columns and `out` of `out_width`; an element is `inner` numbers.  The columns from
    `start` to `stop` are neighbours in `x`, and columns of constants are before or after all others.
    """
    if inner == 1:
        _rows_of_numbers(x, out, rows, columns, value, width, start, stop, out_width, begin, end)
        return
    for row in range(begin, end):
        dest = row * out_width * inner
        if rows[row] < 0:
            _fill(out, dest, out_width * inner, value)
            continue
        source = rows[row] * width * inner
        if start > 0:
            _border(x, source, columns, 0, start, inner, out, dest, value)
        place = source + columns[start] * inner
        copy_row(x, place, out, dest + start * inner, (stop - start) * inner)
        if stop < out_width:
            _border(x, source, columns, stop, out_width, inner, out, dest, value)
