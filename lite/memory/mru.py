"""The strategy ``mru``."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from lite.memory.free_blocks import Block, FreeBlocks
from lite.memory.request import Request, aligned


def mru(requests: Sequence[Request]) -> tuple[list[int], int]:
    """Place buffers in order of time, each in the block that was freed most recently among those that fit.

    Memory that was just read is likely still in the processor's cache, so writing there is cheap.  Free
    neighbours are merged, and if no block fits, the arena grows at its end.  The idea comes from the
    buffer manager of the same name in ppl.nn, which keeps whole blocks and enlarges one that is too
    small.  Use this strategy for chains of buffers that fit the cache; it may need a third more memory
    than compact.
    """
    free = FreeBlocks()
    offsets = [0] * len(requests)
    live: list[tuple[int, int, int]] = []
    """The last instruction, begin and size of the buffers that are held."""
    for n in sorted(range(len(requests)), key=lambda n: (requests[n].first, n)):
        request, size = requests[n], aligned(requests[n].size)
        while live and live[0][0] < request.first:
            _, begin, freed = heapq.heappop(live)
            free.give(begin, freed)
        if size:
            block = free.find(size, _most_recent) or free.extend(size)
            offsets[n] = free.take(block, size)
            heapq.heappush(live, (request.last, offsets[n], size))
    return offsets, free.end


def _most_recent(block: Block) -> tuple[int, ...]:
    return (-block.freed,)
