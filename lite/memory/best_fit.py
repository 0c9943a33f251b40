"""The strategy ``best_fit``."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from lite.memory.free_blocks import Block, FreeBlocks
from lite.memory.request import Request, aligned, largest_live_set

ATTEMPTS = 8
"""Arenas of fixed size to try before one that grows."""

_NEVER = 1 << 62
"""The time at which the ends of the arena become free."""


def best_fit(requests: Sequence[Request]) -> tuple[list[int], int]:
    """Place buffers in order of time, each in the smallest free block that holds it.

    Best fit is a classical rule of allocators (D. Knuth, The Art of Computer Programming 1, 2.5).
    Lifetimes determine the end of the block to use: the buffer goes next to the neighbour that is held
    longer, so that the rest of the block merges with the neighbour that is freed first.  A chain of ops
    therefore alternates between both ends of the arena.  The arena has the size of the largest live set,
    or a few percent more; if that is never enough, it grows at its end.  Use this strategy where planning
    must be quick: an attempt takes linear time except for the search among free blocks.
    """
    size = largest_live_set(requests)[0]
    for _ in range(ATTEMPTS):
        offsets = _place(requests, FreeBlocks(size), grow=False)
        if offsets is not None:
            return offsets, size
        size = aligned(size + size // 32)
    free = FreeBlocks(largest_live_set(requests)[0])
    return _place(requests, free, grow=True) or [], free.end


def _place(requests: Sequence[Request], free: FreeBlocks, *, grow: bool) -> list[int] | None:
    """The offsets, or None if a buffer fits nowhere and the arena may not grow."""
    offsets = [0] * len(requests)
    live: list[tuple[int, int, int]] = []
    """The last instruction, begin and size of the buffers that are held."""
    until_below: dict[int, int] = {}
    until_above: dict[int, int] = {}
    """How long the buffer that ends, or begins, at an offset is held."""
    for n in sorted(range(len(requests)), key=lambda n: (requests[n].first, n)):
        request, size = requests[n], aligned(requests[n].size)
        while live and live[0][0] < request.first:
            _, begin, freed = heapq.heappop(live)
            del until_below[begin + freed], until_above[begin]
            free.give(begin, freed)
        if not size:
            continue
        block = free.find(size, _smallest)
        if block is None:
            if not grow:
                return None
            block = free.extend(size)
        high = until_below.get(block.begin, _NEVER) < until_above.get(block.end, _NEVER)
        begin = free.take(block, size, high=high)
        offsets[n] = begin
        until_below[begin + size] = until_above[begin] = request.last
        heapq.heappush(live, (request.last, begin, size))
    return offsets


def _smallest(block: Block) -> tuple[int, ...]:
    return (block.end - block.begin, block.begin)
