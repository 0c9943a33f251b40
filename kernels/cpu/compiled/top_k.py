"""The largest or smallest elements of rows, in order."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner


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
        for place in range(kept // 2 - 1, -1, -1):
            _sink(values, indices, start, place, kept, smallest)
        worst = values[start]
        for n in range(kept, size):
            v = x[source + n]
            # Of equal elements the earlier one is kept.
            if (v < worst if smallest else v > worst) or (worst != worst and v == v):
                values[start], indices[start] = v, n
                _sink(values, indices, start, 0, kept, smallest)
                worst = values[start]
        for last in range(kept - 1, 0, -1):
            value, index = values[start], indices[start]
            values[start], indices[start] = values[start + last], indices[start + last]
            values[start + last], indices[start + last] = value, index
            _sink(values, indices, start, 0, last, smallest)
