"""Sums, products, maxima, minima and running sums along the middle axis of ``[outer, axis, inner]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.codes import MAXIMUM, MINIMUM, PRODUCT
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load, load_part, maximum, splat, store, store_part, total
from lite.kernels.cpu.compiled.microkernels import short_rows
from lite.kernels.cpu.compiled.microkernels.combine import (
    add,
    larger_number,
    largest_lane,
    load_rest,
    minimum,
    multiply,
    product_of_lanes,
    smaller_number,
    smallest_lane,
)
from lite.kernels.cpu.tile_sizes import BLOCK, LANES, REDUCED_COLUMNS

_STREAMS = 16
"""Rows of a wide matrix that are combined in registers before the result in memory is updated."""

_MOST_SHORT = 24 * LANES
"""The elements of the longest rows of which `LANES` are reduced at once."""


def _row(neutral: float, combine: Any, fold: Any, join: Any) -> Any:
    @inner
    def reduce(x: Any, start: int, size: int) -> Any:
        first = np.float32(neutral)
        result = float(neutral)
        for place in range(start, start + size, BLOCK):
            count = min(BLOCK, start + size - place)
            whole = count // (4 * LANES) * 4 * LANES
            a = b = c = d = splat(first)
            for n in range(place, place + whole, 4 * LANES):
                a = combine(a, load(x, n))
                b = combine(b, load(x, n + LANES))
                c = combine(c, load(x, n + 2 * LANES))
                d = combine(d, load(x, n + 3 * LANES))
            for n in range(whole, count, LANES):
                a = combine(a, load_rest(x, place + n, count - n, first))
            result = join(result, float(fold(combine(combine(a, b), combine(c, d)))))
        return result

    return reduce


def _columns(neutral: float, combine: Any) -> Any:
    @inner
    def reduce(x: Any, start: int, step: int, rows: int, out: Any, dest: int, width: int) -> None:
        first = np.float32(neutral)
        block = _STREAMS if step > 16 * LANES else _STREAMS * _STREAMS
        for row in range(0, rows, block):
            begin, end = start + row * step, start + min(row + block, rows) * step
            n = 0
            while n + 4 * LANES <= width:
                a = b = c = d = splat(first)
                for place in range(begin + n, end + n, step):
                    a = combine(a, load(x, place))
                    b = combine(b, load(x, place + LANES))
                    c = combine(c, load(x, place + 2 * LANES))
                    d = combine(d, load(x, place + 3 * LANES))
                if row:
                    a = combine(a, load(out, dest + n))
                    b = combine(b, load(out, dest + n + LANES))
                    c = combine(c, load(out, dest + n + 2 * LANES))
                    d = combine(d, load(out, dest + n + 3 * LANES))
                store_part(a, out, dest + n, LANES)
                store_part(b, out, dest + n + LANES, LANES)
                store_part(c, out, dest + n + 2 * LANES, LANES)
                store_part(d, out, dest + n + 3 * LANES, LANES)
                n += 4 * LANES
            while n < width:
                count = width - n
                a = b = splat(first)
                place = begin + n
                while place + step < end + n:
                    a = combine(a, load_part(x, place, count))
                    b = combine(b, load_part(x, place + step, count))
                    place += 2 * step
                if place < end + n:
                    a = combine(a, load_part(x, place, count))
                a = combine(a, b)
                if row:
                    a = combine(a, load_part(out, dest + n, count))
                store_part(a, out, dest + n, count)
                n += LANES

    return reduce


row_sum = _row(0.0, add, total, add)
_row_product = _row(1.0, multiply, product_of_lanes, multiply)
_row_maximum = _row(-np.inf, maximum, largest_lane, larger_number)
_row_minimum = _row(np.inf, minimum, smallest_lane, smaller_number)
_column_sums = _columns(0.0, add)
_column_products = _columns(1.0, multiply)
_column_maxima = _columns(-np.inf, maximum)
_column_minima = _columns(np.inf, minimum)


@entry("r", "w", "i", "i", "i")
def reduce_rows(x: Any, out: Any, kind: int, size: int, divisor: int, begin: int, end: int) -> None:
    """Reduce rows `begin` to `end` of `size` elements to one element each; sums are divided by `divisor`."""
    short = begin + (end - begin) // LANES * LANES if size <= _MOST_SHORT else begin
    for row in range(begin, short, LANES):
        start = row * size
        if kind == MAXIMUM:
            store(short_rows.maxima(x, start, size), out, row)
        elif kind == MINIMUM:
            store(short_rows.minima(x, start, size), out, row)
        elif kind == PRODUCT:
            store(short_rows.products(x, start, size), out, row)
        else:
            store(short_rows.sums(x, start, size) / splat(np.float32(divisor)), out, row)
    for row in range(short, end):
        start = row * size
        if kind == MAXIMUM:
            out[row] = _row_maximum(x, start, size)
        elif kind == MINIMUM:
            out[row] = _row_minimum(x, start, size)
        elif kind == PRODUCT:
            out[row] = _row_product(x, start, size)
        else:
            out[row] = row_sum(x, start, size) / divisor


@entry("r", "w", "i", "i", "i", "i")
def reduce_columns(
    x: Any, out: Any, kind: int, axis: int, columns: int, divisor: int, begin: int, end: int
) -> None:
    """Reduce columns of matrices of `axis` rows; work items `begin` to `end` are `REDUCED_COLUMNS` wide."""
    strips = (columns + REDUCED_COLUMNS - 1) // REDUCED_COLUMNS
    for strip in range(begin, end):
        outer, first = strip // strips, strip % strips * REDUCED_COLUMNS
        width = min(REDUCED_COLUMNS, columns - first)
        start, dest = outer * axis * columns + first, outer * columns + first
        if kind == MAXIMUM:
            _column_maxima(x, start, columns, axis, out, dest, width)
        elif kind == MINIMUM:
            _column_minima(x, start, columns, axis, out, dest, width)
        elif kind == PRODUCT:
            _column_products(x, start, columns, axis, out, dest, width)
        else:
            _column_sums(x, start, columns, axis, out, dest, width)
            if divisor > 1:
                factor = splat(np.float32(divisor))
                for n in range(0, width, LANES):
                    store_part(load_part(out, dest + n, width - n) / factor, out, dest + n, width - n)


@inner
def _sum_rows(x: Any, out: Any, start: int, dest: int, step: int, count: int, gap: int) -> None:
    """Four rows that are `gap` elements apart, side by side: each sum waits for the one before it."""
    a = b = c = d = np.float32(0.0)
    for n in range(count):
        place, to = start + n * step, dest + n * step
        a += x[place]
        b += x[place + gap]
        c += x[place + 2 * gap]
        d += x[place + 3 * gap]
        out[to] = a
        out[to + gap] = b
        out[to + 2 * gap] = c
        out[to + 3 * gap] = d


@inner
def _sum_row(x: Any, out: Any, start: int, dest: int, step: int, count: int) -> None:
    a = np.float32(0.0)
    for n in range(count):
        a += x[start + n * step]
        out[dest + n * step] = a


@inner
def _sum_columns(x: Any, out: Any, start: int, dest: int, step: int, count: int, width: int) -> None:
    """All columns of a matrix whose rows are `step` elements apart."""
    for column in range(0, width // (4 * LANES) * 4 * LANES, 4 * LANES):
        a = b = c = d = splat(np.float32(0.0))
        for n in range(count):
            place, to = start + column + n * step, dest + column + n * step
            a = a + load(x, place)
            b = b + load(x, place + LANES)
            c = c + load(x, place + 2 * LANES)
            d = d + load(x, place + 3 * LANES)
            store(a, out, to)
            store(b, out, to + LANES)
            store(c, out, to + 2 * LANES)
            store(d, out, to + 3 * LANES)
    for column in range(width // (4 * LANES) * 4 * LANES, width, LANES):
        rest = width - column
        a = splat(np.float32(0.0))
        for n in range(count):
            a = a + load_part(x, start + column + n * step, rest)
            store_part(a, out, dest + column + n * step, rest)


@entry("r", "w", "i", "i", "i", "i")
def running_sums(
    x: Any, out: Any, axis: int, columns: int, is_exclusive: int, is_reverse: int, begin: int, end: int
) -> None:
    """``out[i, j, :]`` = the sum of ``x[i, :j + 1, :]`` for matrices `begin` to `end`, ``[axis, columns]``.

    Without x[i, j, :] where `is_exclusive`; from the end of the axis if `is_reverse`.
    """
    size = axis * columns
    first = (axis - 1) * columns if is_reverse else 0
    step = -columns if is_reverse else columns
    count = axis - is_exclusive
    if is_exclusive:
        for matrix in range(begin, end):
            for n in range(columns):
                out[matrix * size + first + n] = np.float32(0.0)
    start = begin * size + first
    dest = start + step * is_exclusive
    if columns == 1:
        several = (end - begin) // 4 * 4
        for _ in range(0, several, 4):
            _sum_rows(x, out, start, dest, step, count, size)
            start, dest = start + 4 * size, dest + 4 * size
        for _ in range(begin + several, end):
            _sum_row(x, out, start, dest, step, count)
            start, dest = start + size, dest + size
    else:
        for _ in range(begin, end):
            _sum_columns(x, out, start, dest, step, count, columns)
            start, dest = start + size, dest + size
