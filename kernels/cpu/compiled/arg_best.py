"""The places of the largest or smallest elements along an axis."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.lengths.sorting import CHUNK


@entry("r", "m", "s", "i", "i", "i")
def arg_best(
    x: Any, out: Any, best: Any, size: int, columns: int, smallest: int, begin: int, end: int
) -> None:
    """For matrices ``[size, columns]`` in chunks of `CHUNK` columns: the first row with each column's best.

    NaN counts as better than any number.  Work items `begin` to `end` are chunks, counted over the matrices;
    `best` is scratch memory for a chunk.
    """
    chunks = (columns + CHUNK - 1) // CHUNK
    for item in range(begin, end):
        matrix, first = item // chunks, item % chunks * CHUNK
        count = min(CHUNK, columns - first)
        start, dest = matrix * size * columns + first, matrix * columns + first
        for n in range(count):
            best[n] = x[start + n]
            out[dest + n] = 0
        for row in range(1, size):
            place = start + row * columns
            if smallest:
                for n in range(count):
                    v = x[place + n]
                    if v < best[n] or (v != v and best[n] == best[n]):
                        best[n] = v
                        out[dest + n] = row
            else:
                for n in range(count):
                    v = x[place + n]
                    if v > best[n] or (v != v and best[n] == best[n]):
                        best[n] = v
                        out[dest + n] = row
