"""The largest or smallest elements of rows, in order."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.elements import LAST, rank_of
from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, load_part
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import copy_bytes
from lite.kernels.cpu.compiled.microkernels.keys import (
    PLACE,
    keep_smallest,
    key_of,
    sort,
    sort_by_digits,
)
from lite.kernels.cpu.compiled.microkernels.lane_masks import first_lane, lanes_above, lanes_below
from lite.kernels.cpu.element_types import FLOAT32
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _is_better(a: float, i: int, b: float, j: int, smallest: int) -> bool:
    """Whether element i of value `a` comes before element j of value `b`; NaN comes last."""
    if a == b:
        return i < j
    if a != a:
        return b != b and i < j
    if b != b:
        return True
    return a < b if smallest else a > b


@inner
def _sink(values: Any, indices: Any, start: int, place: int, count: int, smallest: int) -> None:
    """Move an element of a heap, whose root is the worst, down to where it belongs."""
    value, index = values[start + place], indices[start + place]
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and _is_better(
            values[start + child], indices[start + child], values[start + child + 1],
            indices[start + child + 1], smallest,
        ):  # fmt: skip
            child += 1
        if not _is_better(value, index, values[start + child], indices[start + child], smallest):
            break
        values[start + place], indices[start + place] = values[start + child], indices[start + child]
        place = child
    values[start + place], indices[start + place] = value, index


@inner
def _make_heap(values: Any, indices: Any, start: int, kept: int, smallest: int) -> None:
    for place in range(kept // 2 - 1, -1, -1):
        _sink(values, indices, start, place, kept, smallest)


@inner
def _sort_heap(values: Any, indices: Any, start: int, kept: int, smallest: int) -> None:
    """Order the elements of a heap, best first."""
    for last in range(kept - 1, 0, -1):
        value, index = values[start], indices[start]
        values[start], indices[start] = values[start + last], indices[start + last]
        values[start + last], indices[start + last] = value, index
        _sink(values, indices, start, 0, last, smallest)


@inlined
def _candidates(x: Any, place: int, count: int, worst: float, smallest: int) -> Any:
    """A mask of the next `LANES` elements, of which `count` exist: those that may be among the best."""
    v = load_part(x, place, count)
    lanes = lanes_below(v, worst) if smallest else lanes_above(v, worst)
    return lanes & ((1 << min(count, LANES)) - 1)


@entry("r", "w", "m", "i", "i", "i")
def top_k_rows(
    x: Any, values: Any, indices: Any, size: int, kept: int, smallest: int, begin: int, end: int
) -> None:
    """The best `kept` elements of rows `begin` to `end`, of `size` elements, best first, and their places.

    Of equal elements the first comes first.
    """
    for row in range(begin, end):
        source, start = row * size, row * kept
        for n in range(kept):
            values[start + n], indices[start + n] = x[source + n], n
        _make_heap(values, indices, start, kept, smallest)
        worst = values[start]
        for first in range(kept, size, LANES):
            lanes = _candidates(x, source + first, size - first, worst, smallest)
            while lanes:
                n = first + first_lane(lanes)
                lanes &= lanes - 1
                v = x[source + n]
                # Of equal elements the earlier one is kept.
                if (v < worst if smallest else v > worst) or (worst != worst and v == v):
                    values[start], indices[start] = v, n
                    _sink(values, indices, start, 0, kept, smallest)
                    worst = values[start]
        _sort_heap(values, indices, start, kept, smallest)


@entry("r", "w", "m", "l", "i", "i", "i")
def top_k_by_blocks(
    x: Any, values: Any, indices: Any, keys: Any, size: int, kept: int, smallest: int, begin: int, end: int
) -> None:
    """Like `top_k_rows`, for more than a few: of `kept` further candidates, the best are kept at once.

    `keys` is scratch memory for ``2 · kept`` keys.
    """
    for row in range(begin, end):
        source, start = row * size, row * kept
        limit = key_of(x[source], 0, smallest)
        for n in range(kept):
            keys[n] = key_of(x[source + n], n, smallest)
            limit = max(limit, keys[n])
        count, worst = kept, x[source + (limit & PLACE)]
        for first in range(kept, size, LANES):
            lanes = _candidates(x, source + first, size - first, worst, smallest)
            while lanes:
                n = first + first_lane(lanes)
                lanes &= lanes - 1
                key = key_of(x[source + n], n, smallest)
                if key < limit:
                    keys[count] = key
                    count += 1
                    if count == 2 * kept:
                        keep_smallest(keys, count, kept)
                        count, limit = kept, keys[kept - 1]
                        worst = x[source + (limit & PLACE)]
        keep_smallest(keys, count, kept)
        best = sort(keys, kept)
        for n in range(kept):
            place = keys[best + n] & PLACE
            values[start + n], indices[start + n] = x[source + place], place


@entry("r", "w", "m", "l", "i", "i", "i")
def top_k_by_digits(
    x: Any, values: Any, indices: Any, keys: Any, size: int, kept: int, smallest: int, begin: int, end: int
) -> None:
    """Like `top_k_rows`, for most of a row: all of it is sorted.

    `keys` is scratch memory for ``2 · size`` keys and ``4 · DIGITS`` counters.
    """
    for row in range(begin, end):
        source, start = row * size, row * kept
        for n in range(size):
            keys[n] = key_of(x[source + n], n, smallest)
        sort_by_digits(keys, size, 2 * size)
        for n in range(kept):
            place = keys[n] & PLACE
            values[start + n], indices[start + n] = x[source + place], place


@inlined
def _rank(x: Any, place: int, kind: int, smallest: int) -> Any:
    """An integer that is lower for better elements."""
    rank = rank_of(x, place, kind)
    is_nan = kind >= FLOAT32 and rank == LAST
    return rank if smallest or is_nan else ~rank


@entry("a", "z", "m", "l", "i", "i", "i", "i", "i")
def top_k_of_elements(
    x: Any, values: Any, indices: Any, ranks: Any, size: int, kept: int, smallest: int, kind: int,
    bytes_each: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Like `top_k_rows`, for integers and float64.  `ranks` is scratch memory for `kept` numbers."""
    for row in range(begin, end):
        source, start = row * size, row * kept
        for n in range(kept):
            ranks[n] = _rank(x, source + n, kind, smallest)
            indices[start + n] = n
        _make_heap(ranks, indices[start:], 0, kept, 1)
        worst = ranks[0]
        for n in range(kept, size):
            rank = _rank(x, source + n, kind, smallest)
            if rank < worst:
                ranks[0], indices[start] = rank, n
                _sink(ranks, indices[start:], 0, 0, kept, 1)
                worst = ranks[0]
        _sort_heap(ranks, indices[start:], 0, kept, 1)
        for n in range(kept):
            element = address(x, (source + indices[start + n]) * bytes_each)
            copy_bytes(values, address(values, (start + n) * bytes_each), element, bytes_each)
