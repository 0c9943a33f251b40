"""The strategy ``compact``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.ir.types import Array
from lite.memory.best_fit import best_fit
from lite.memory.request import Request, aligned, largest_live_set

Key = Callable[[Request], tuple[int, ...]]
"""The sort key of a greedy order."""

_ORDERS: tuple[Key, ...] = (
    lambda r: (-r.size,),
    lambda r: (-r.size * (r.last - r.first + 1),),
    lambda r: (r.first, -r.size),
)
"""Largest first; by size × lifetime; in order of first use."""


def compact(requests: Sequence[Request]) -> tuple[list[int], int]:
    """The smallest arena that `best_fit` or one of a few greedy orders finds.

    The first order is largest first, each buffer at the lowest offset that is free during its lifetime:
    greedy by size for offset calculation (Y. Pisarchyk, J. Lee, "Efficient memory management for deep
    neural net inference", 2020).  The others are tried if that needs more than the largest live set,
    which is a lower bound.  This is the default strategy.
    """
    least = largest_live_set(requests)[0]
    best = _in_order(requests, _ORDERS[0]) or ([], 0)
    if best[1] > least:
        best = min(best, best_fit(requests), key=_arena)
    for key in _ORDERS[1:]:
        if best[1] > least:
            best = _in_order(requests, key, best[1]) or best
    return best


def _arena(plan: tuple[list[int], int]) -> int:
    return plan[1]


def _in_order(
    requests: Sequence[Request], key: Key, limit: int | None = None
) -> tuple[list[int], int] | None:
    """Place requests, smallest `key` first, at the lowest offset that is free during their lifetimes.

    None as soon as the arena reaches `limit`.
    """
    offsets = [0] * len(requests)
    placed = np.zeros((4, len(requests)), dtype=np.int64)
    """Rows first, last, begin and end of the requests placed so far, ordered by begin."""
    total = 0
    for count, n in enumerate(sorted(range(len(requests)), key=lambda n: (key(requests[n]), n))):
        request, size = requests[n], aligned(requests[n].size)
        first, last, begin, end = placed[:, :count]
        live = (first <= request.last) & (last >= request.first)
        offset = _lowest_gap(begin[live], end[live], size)
        offsets[n] = offset
        total = max(total, offset + size)
        if limit is not None and total >= limit:
            return None
        position = int(np.searchsorted(begin, offset))
        placed[:, position + 1 : count + 1] = placed[:, position:count].copy()
        placed[:, position] = request.first, request.last, offset, offset + size
    return offsets, total


def _lowest_gap(begins: Array, ends: Array, size: int) -> int:
    """The lowest offset with `size` free bytes between intervals that are ordered by their begin."""
    if not len(begins):
        return 0
    reached = np.zeros(len(begins) + 1, dtype=np.int64)
    np.maximum.accumulate(ends, out=reached[1:])
    fits = begins - reached[:-1] >= size
    found = int(np.argmax(fits))
    return int(reached[found]) if fits[found] else int(reached[-1])
