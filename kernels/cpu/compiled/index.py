"""Elements of a tensor by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry


@inner
def _take_row(x: Any, start: int, index: Any, first: int, out: Any, count: int, size: int) -> int:
    """``out[n] = x[start + index[n]]`` for `count` indices from `first` on, where `width` is 1.

    Returns the number of indices outside the axis of `size` elements.
    """
    failures = 0
    for n in range(first, first + count):
        place = index[np.uint64(n)]
        place += size if place < 0 else 0
        is_inside = np.uint64(place) < np.uint64(size)
        failures += 0 if is_inside else 1
        out[np.uint64(n)] = x[np.uint64(start + (place if is_inside else 0))]
    return failures


@inner
def _take_elements(
    x: Any, start: int, index: Any, first: int, out: Any, count: int, size: int, width: int
) -> int:
    """``out[first + n] = x[start + index[first + n] · width + n]`` for n from 0 to `count` - 1.

    Returns the number of indices outside the axis of `size` elements; their places in `out` are not written.
    """
    failures = 0
    for n in range(count):
        place = index[first + n]
        place += size if place < 0 else 0
        if place < 0 or place >= size:
            failures += 1
        else:
            out[first + n] = x[start + place * width + n]
    return failures


@entry("r", "n", "w", "m", "i", "i", "i")
def take_elements(
    x: Any, index: Any, out: Any, failures: Any, size: int, indices: int, width: int, begin: int, end: int
) -> None:
    """``out[i, n, j] = x[i, index[i, n, j], j]`` for `indices` values of n.

    `x` is ``[…, size, width]``, `index` and `out` are ``[…, indices, width]``.  Negative indices count from
    the end; an index outside the axis sets ``failures[0]`` to 1.  Work items `begin` to `end` are pairs of
    i and n.
    """
    item = begin
    while item < end:
        i = item // indices
        if width == 1:
            count = min(indices - item % indices, end - item)
            if _take_row(x, i * size, index, item, out, count, size):
                failures[0] = 1
            item += count
        else:
            if _take_elements(x, i * size * width, index, item * width, out, width, size, width):
                failures[0] = 1
            item += 1
