"""The largest or smallest elements along an axis before others, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load, load_part, splat, store, store_part
from lite.kernels.cpu.compiled.sorting.arg_best import where_larger, where_smaller
from lite.kernels.cpu.tile_sizes import LANES


@inlined
def _insert(is_worse: Any, best: Any, places: Any, count: int) -> None:
    """Move the last of `count` + 1 vectors, with its places, before those that are worse, lane by lane."""
    for n in range(count - 1, -1, -1):
        a, b = load(best, n * LANES), load(best, (n + 1) * LANES)
        i, j = load(best, places + n * LANES), load(best, places + (n + 1) * LANES)
        store(is_worse(a, b, b, a), best, n * LANES)
        store(is_worse(a, b, a, b), best, (n + 1) * LANES)
        store(is_worse(a, b, j, i), best, places + n * LANES)
        store(is_worse(a, b, i, j), best, places + (n + 1) * LANES)


@entry("r", "w", "m", "s", "i", "i", "i", "i")
def top_k_columns(
    x: Any, values: Any, indices: Any, best: Any, size: int, columns: int, kept: int, smallest: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """The best `kept` elements of the columns of matrices ``[size, columns]``, best first, and their rows.

    Of equal elements the first comes first; NaN comes last.  Work items `begin` to `end` are vectors of
    columns, counted over the matrices.  `best` is scratch memory for ``kept + 1`` vectors of elements, and as
    many of their rows, which are exact as float32.
    """
    vectors, places = (columns + LANES - 1) // LANES, (kept + 1) * LANES
    for item in range(begin, end):
        matrix, first = item // vectors, item % vectors * LANES
        count = min(LANES, columns - first)
        for row in range(size):
            last = min(row, kept)
            store(load_part(x, (matrix * size + row) * columns + first, count), best, last * LANES)
            store(splat(np.float32(row)), best, places + last * LANES)
            if smallest:
                _insert(where_larger, best, places, last)
            else:
                _insert(where_smaller, best, places, last)
        for n in range(kept):
            dest = (matrix * kept + n) * columns + first
            store_part(load(best, n * LANES), values, dest, count)
            for lane in range(count):
                indices[dest + lane] = int(best[places + n * LANES + lane])
