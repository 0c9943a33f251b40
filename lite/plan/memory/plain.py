"""The strategy ``plain``."""

from __future__ import annotations

from collections.abc import Sequence

from lite.plan.memory.request import Request, aligned


def plain(requests: Sequence[Request]) -> tuple[list[int], int]:
    """Every request its own place, one behind the other.

    Take it to look for an error in another strategy or in declared lifetimes: what differs from plain
    was overwritten too early.
    """
    offsets = []
    total = 0
    for request in requests:
        offsets.append(total)
        total += aligned(request.size)
    return offsets, total
