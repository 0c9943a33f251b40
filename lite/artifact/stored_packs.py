"""Packed weights of an artifact: arrays that kernels prepared from weights, by name."""

from __future__ import annotations

from collections.abc import Mapping

from lite.cache.packed_weights import PackedBlock
from lite.ir.types import Array


class StoredPacks:
    """The packed weights of a plan by name; weights that are packed later stay in memory."""

    needs_write = False
    """Whether `write` would store anything."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays

    def main_block(self) -> PackedBlock:
        """The packed weights of the plan's own instructions."""
        return PackedBlock(self)

    def find(self, name: str) -> Array | None:
        """The array stored under a name; None if there is none."""
        return self._arrays.get(name)

    def add(self, name: str, array: Array, seconds: float) -> None:
        """Do nothing: an artifact does not change."""

    def write(self) -> None:
        """Do nothing: an artifact does not change."""
