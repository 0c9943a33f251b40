"""Requests for buffers, the type of a strategy, and the lower bound of an arena."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from lite.dataclass import dataclass

ALIGNMENT = 64
"""Bytes: one cache line, and the widest vector registers."""


@dataclass(frozen=True)
class Request:
    """A buffer of `size` bytes, live from instruction `first` to instruction `last`, both included."""

    size: int
    first: int
    last: int


Strategy = Callable[[Sequence[Request]], tuple[list[int], int]]
"""Maps requests to their offsets, in the same order, and the size of the arena in bytes."""


def aligned(size: int) -> int:
    """`size` rounded up to a multiple of `ALIGNMENT`."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def largest_live_set(requests: Sequence[Request]) -> tuple[int, int]:
    """The most bytes that are live during an instruction, and the first such instruction.

    The size of each request is rounded up.  No arena can be smaller.  ``(0, 0)`` without requests.
    """
    changes: Counter[int] = Counter()
    for request in requests:
        changes[request.first] += aligned(request.size)
        changes[request.last + 1] -= aligned(request.size)
    live, most, when = 0, 0, 0
    for instruction in sorted(changes):
        live += changes[instruction]
        if live > most:
            most, when = live, instruction
    return most, when
