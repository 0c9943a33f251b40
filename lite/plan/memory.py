"""Where buffers lie: each strategy gives every request an offset in one arena.

A request is a number of bytes and the inclusive interval of instructions in which they are live;
requests that are live at the same time never overlap.  Offsets are multiples of `ALIGNMENT`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lite.ir.types import Array

ALIGNMENT = 64
"""Bytes: one cache line, and the widest vector registers."""


@dataclass(frozen=True)
class Request:
    """`size` bytes, live from instruction `first` to instruction `last`, both included."""

    size: int
    first: int
    last: int


def compact(requests: Sequence[Request]) -> tuple[list[int], int]:
    """Largest first, each at the lowest offset that is free during its whole life.

    Greedy by size for offset calculation (Y. Pisarchyk, J. Lee, "Efficient memory management for deep
    neural net inference", 2020).  The offsets in the order of the requests, and the arena's size.
    """
    offsets = [0] * len(requests)
    placed = np.zeros((4, len(requests)), dtype=np.int64)
    """Rows first, last, begin, end of what has its place, ordered by begin."""
    total = 0
    for count, n in enumerate(sorted(range(len(requests)), key=lambda n: (-requests[n].size, n))):
        request = requests[n]
        first, last, begin, end = placed[:, :count]
        live = (first <= request.last) & (last >= request.first)
        offset = _lowest_gap(begin[live], end[live], request.size)
        offsets[n] = offset
        total = max(total, offset + _aligned(request.size))
        position = int(np.searchsorted(begin, offset))
        placed[:, position + 1 : count + 1] = placed[:, position:count].copy()
        placed[:, position] = request.first, request.last, offset, offset + _aligned(request.size)
    return offsets, total


def plain(requests: Sequence[Request]) -> tuple[list[int], int]:
    """Every request its own place: nothing is shared (for looking for errors in the others)."""
    offsets = []
    total = 0
    for request in requests:
        offsets.append(total)
        total += _aligned(request.size)
    return offsets, total


STRATEGIES: dict[str, Callable[[Sequence[Request]], tuple[list[int], int]]] = {
    "compact": compact,
    "plain": plain,
}


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _lowest_gap(begins: Array, ends: Array, size: int) -> int:
    """The lowest offset with `size` free bytes between intervals that are ordered by their begin."""
    if not len(begins):
        return 0
    reached = np.zeros(len(begins) + 1, dtype=np.int64)
    np.maximum.accumulate(ends, out=reached[1:])
    fits = begins - reached[:-1] >= size
    found = int(np.argmax(fits))
    return int(reached[found]) if fits[found] else int(reached[-1])
