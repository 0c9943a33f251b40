"""FreeBlocks: the parts of an arena that no buffer holds."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Block(NamedTuple):
    """Bytes from `begin` to `end`, exclusive; `freed` is the time at which the block became free."""

    begin: int
    end: int
    freed: int = 0

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.end - self.begin


class FreeBlocks:
    """Free blocks by address, with neighbours merged; `end` is the present size of the arena."""

    def __init__(self, size: int = 0) -> None:
        self.end = size
        self._blocks = [Block(0, size)] if size else []
        self._clock = 0

    def __iter__(self) -> Iterator[Block]:
        return iter(self._blocks)

    def find(self, size: int, key: Callable[[Block], tuple[int, ...]]) -> Block | None:
        """The block of at least `size` bytes with the smallest `key`."""
        return min(
            (block for block in self._blocks if block.end - block.begin >= size), key=key, default=None
        )

    def extend(self, size: int) -> Block:
        """Grow the arena until its last block is free and holds `size` bytes, and return that block."""
        begin = self.end
        if self._blocks and self._blocks[-1].end == self.end:
            begin = self._blocks.pop().begin
        self.end = max(self.end, begin + size)
        self._blocks.append(Block(begin, self.end, self._clock))
        return self._blocks[-1]

    def take(self, block: Block, size: int, *, high: bool = False) -> int:
        """Take `size` bytes from the low or the high end of a free block, and return their begin."""
        place = bisect.bisect_left(self._blocks, block)
        rest = block._replace(end=block.end - size) if high else block._replace(begin=block.begin + size)
        self._blocks[place : place + 1] = [rest] if rest.size else []
        return rest.end if high else block.begin

    def give(self, begin: int, size: int) -> None:
        """Free bytes again."""
        self._clock += 1
        end = begin + size
        place = bisect.bisect_left(self._blocks, (begin,))
        if place < len(self._blocks) and self._blocks[place].begin == end:
            end = self._blocks.pop(place).end
        if place and self._blocks[place - 1].end == begin:
            place -= 1
            begin = self._blocks.pop(place).begin
        self._blocks.insert(place, Block(begin, end, self._clock))
