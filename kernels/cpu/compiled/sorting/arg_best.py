"""The places of the largest or smallest elements along an axis, and in rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    VECTOR,
    clear,
    load,
    load_every,
    load_part,
    splat,
    store,
    transpose_block,
)
from lite.kernels.cpu.lengths.sorting import CHUNK
from lite.kernels.cpu.tile_sizes import LANES


def _better_of(sign: str) -> Any:
    def typed(typing: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a, b, then, otherwise = args
            is_better = builder.fcmp_unordered(sign, a, b)
            is_better = builder.and_(is_better, builder.fcmp_ordered("ord", b, b))
            return builder.select(is_better, then, otherwise)

        return VECTOR(VECTOR, VECTOR, VECTOR, VECTOR), generate

    return instruction(typed)


where_larger = _better_of(">")
"""`then` in the lanes where `a` is above `b`, or NaN and `b` is not; `otherwise` in the others."""

where_smaller = _better_of("<")


@inner
def _raise(better: Any, x: Any, place: int, best: Any, row: int, count: int) -> None:
    """Compare `count` elements with the best ones so far, and note the row of those that are better."""
    number = splat(np.float32(row))
    for n in range(0, count, LANES):
        v, b = load_part(x, place + n, count - n), load(best, n)
        r = load(best, CHUNK + n)
        store(better(v, b, v, b), best, n)
        store(better(v, b, number, r), best, CHUNK + n)


@entry("r", "m", "s", "i", "i", "i")
def arg_best(
    x: Any, out: Any, best: Any, size: int, columns: int, smallest: int, begin: int, end: int
) -> None:
    """For matrices ``[size, columns]`` in chunks of `CHUNK` columns: the first row with each column's best.

    NaN counts as better than any number.  Work items `begin` to `end` are chunks, counted over the matrices.
    `best` is scratch memory for two chunks, the best elements and their rows, which are exact as float32.
    """
    chunks = (columns + CHUNK - 1) // CHUNK
    for item in range(begin, end):
        matrix, first = item // chunks, item % chunks * CHUNK
        count = min(CHUNK, columns - first)
        start, dest = matrix * size * columns + first, matrix * columns + first
        for n in range(0, count, LANES):
            store(load_part(x, start + n, count - n), best, n)
            store(splat(np.float32(0.0)), best, CHUNK + n)
        for row in range(1, size):
            if smallest:
                _raise(where_smaller, x, start + row * columns, best, row, count)
            else:
                _raise(where_larger, x, start + row * columns, best, row, count)
        for n in range(count):
            out[dest + n] = int(best[CHUNK + n])


@inner
def _is_better(value: Any, best: Any, smallest: int) -> bool:
    """Whether a value is above the best one, or below it, or NaN where that is a number."""
    if best != best:
        return False
    if smallest:
        return not value >= best
    return not value <= best


@inner
def _best_vectors(better: Any, x: Any, start: int, whole: int, best: Any) -> None:
    """The best elements of each lane of `whole` elements, and the numbers of their vectors, in `best`."""
    a, ra = load(x, start), splat(np.float32(0.0))
    b, rb, n = a, ra, LANES
    while n + 2 * LANES <= whole:
        v, number = load(x, start + n), splat(np.float32(n // LANES))
        ra = better(v, a, number, ra)
        a = better(v, a, v, a)
        w, number = load(x, start + n + LANES), splat(np.float32(n // LANES + 1))
        rb = better(w, b, number, rb)
        b = better(w, b, w, b)
        n += 2 * LANES
    if n < whole:
        v, number = load(x, start + n), splat(np.float32(n // LANES))
        ra = better(v, a, number, ra)
        a = better(v, a, v, a)
    store(a, best, 0)
    store(ra, best, LANES)
    store(b, best, 2 * LANES)
    store(rb, best, 3 * LANES)


@inner
def _best_of_short_rows(better: Any, x: Any, start: int, size: int, best: Any, out: Any, row: int) -> None:
    """The first best places of `LANES` rows of at least `LANES` elements, each row in a lane.

    `best` has memory for a transposed block and a vector.
    """
    value, place = load_every(x, start, size), splat(np.float32(0.0))
    for first in range(0, size, LANES):
        # The last block is moved back: elements that were compared before change nothing.
        column = min(first, size - LANES)
        transpose_block(x, start + column, size, best, 0, LANES)
        for n in range(LANES):
            other, number = load(best, n * LANES), splat(np.float32(column + n))
            place = better(other, value, number, place)
            value = better(other, value, other, value)
    store(place, best, LANES * LANES)
    for lane in range(LANES):
        out[row + lane] = int(best[LANES * LANES + lane])


@entry("r", "m", "s", "i", "i", "i")
def arg_best_of_short_rows(
    x: Any, out: Any, best: Any, rows: int, size: int, smallest: int, begin: int, end: int
) -> None:
    """`arg_best_of_rows` of at least `LANES` rows and elements: blocks `begin` to `end` of `LANES` rows.

    The last block is moved back over rows of the one before.  `best` is scratch memory for a block of `LANES`
    columns, and one vector more.
    """
    for item in range(begin, end):
        row = min(item * LANES, rows - LANES)
        if smallest:
            _best_of_short_rows(where_smaller, x, row * size, size, best, out, row)
        else:
            _best_of_short_rows(where_larger, x, row * size, size, best, out, row)


@entry("r", "m", "s", "i", "i")
def arg_best_of_rows(x: Any, out: Any, best: Any, size: int, smallest: int, begin: int, end: int) -> None:
    """The first place of the best element in each of the rows `begin` to `end` of `size` elements.

    NaN counts as better than any number.  `best` is scratch memory for four vectors: twice the best elements
    of some vectors in each lane, and the numbers of the vectors, which are exact as float32.
    """
    whole = size // LANES * LANES
    for row in range(begin, end):
        start = row * size
        value, place = x[start], 0
        if whole:
            if smallest:
                _best_vectors(where_smaller, x, start, whole, best)
            else:
                _best_vectors(where_larger, x, start, whole, best)
            for half in range(0, 4 * LANES, 2 * LANES):
                for lane in range(half, half + LANES):
                    other, at = best[lane], int(best[LANES + lane]) * LANES + lane - half
                    is_equal = other == value or (other != other and value != value)
                    if _is_better(other, value, smallest) or (is_equal and at < place):
                        value, place = other, at
        for n in range(whole, size):
            if _is_better(x[start + n], value, smallest):
                value, place = x[start + n], n
        out[row] = place


@entry("n", "w", "i")
def mark_places(places: Any, out: Any, size: int, begin: int, end: int) -> None:
    """Rows `begin` to `end` of `size` elements: 1 at each row's place, 0 elsewhere."""
    for row in range(begin, end):
        clear(out, row * size, size)
        out[row * size + places[row]] = 1.0
