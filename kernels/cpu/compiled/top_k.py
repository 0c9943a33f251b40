"""The largest or smallest elements of rows, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry


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
        for n in range(kept, size):
            v = x[source + n]
            # Of equal elements the earlier one is kept.
            if (v < worst if smallest else v > worst) or (worst != worst and v == v):
                values[start], indices[start] = v, n
                _sink(values, indices, start, 0, kept, smallest)
                worst = values[start]
        _sort_heap(values, indices, start, kept, smallest)


@inner
def _swap(best: Any, gap: int, i: int, j: int) -> None:
    best[i], best[j] = best[j], best[i]
    best[gap + i], best[gap + j] = best[gap + j], best[gap + i]


@inner
def _is_before(best: Any, gap: int, i: int, j: int, smallest: int) -> bool:
    return _is_better(best[i], best[gap + i], best[j], best[gap + j], smallest)


@inner
def _keep_best(best: Any, gap: int, count: int, kept: int, smallest: int) -> None:
    """Move the best `kept` of `count` elements to the front, in any order; the last of them is the worst."""
    first, last = 0, count - 1
    while first < last:
        # The middle one of three is the pivot, at the end.
        middle = (first + last) // 2
        if _is_before(best, gap, middle, first, smallest):
            _swap(best, gap, middle, first)
        if _is_before(best, gap, last, first, smallest):
            _swap(best, gap, last, first)
        if _is_before(best, gap, middle, last, smallest):
            _swap(best, gap, middle, last)
        place = first
        for n in range(first, last):
            if _is_before(best, gap, n, last, smallest):
                _swap(best, gap, n, place)
                place += 1
        _swap(best, gap, place, last)
        if place == kept - 1:
            return
        if place < kept - 1:
            first = place + 1
        else:
            last = place - 1


@entry("r", "w", "m", "s", "i", "i", "i")
def top_k_by_blocks(
    x: Any, values: Any, indices: Any, best: Any, size: int, kept: int, smallest: int, begin: int, end: int
) -> None:
    """Like `top_k_rows`, for more than a few: of `kept` further candidates, the best are kept at once.

    `best` is scratch memory for ``2 · kept`` elements, and for their places, which are exact as float32.
    """
    gap = 2 * kept
    for row in range(begin, end):
        source, start = row * size, row * kept
        for n in range(kept):
            best[n], best[gap + n] = x[source + n], np.float32(n)
        _keep_best(best, gap, kept, kept, smallest)
        count, worst = kept, best[kept - 1]
        for n in range(kept, size):
            v = x[source + n]
            if (v < worst if smallest else v > worst) or (worst != worst and v == v):
                best[count], best[gap + count] = v, np.float32(n)
                count += 1
                if count == gap:
                    _keep_best(best, gap, count, kept, smallest)
                    count, worst = kept, best[kept - 1]
        _keep_best(best, gap, count, kept, smallest)
        for n in range(kept):
            values[start + n], indices[start + n] = best[n], int(best[gap + n])
        _make_heap(values, indices, start, kept, smallest)
        _sort_heap(values, indices, start, kept, smallest)
