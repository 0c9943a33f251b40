"""The strategy ``plain``."""

from __future__ import annotations

from collections.abc import Sequence

from lite.memory.request import Request, aligned


def plain(requests: Sequence[Request]) -> tuple[list[int], int]:
    """Place buffers one after the other.

    Use this strategy to find errors in other strategies or in lifetimes: a value that differs from its
    value with plain was overwritten too early.
    """
    offsets = []
    total = 0
    for request in requests:
        offsets.append(total)
        total += aligned(request.size)
    return offsets, total
