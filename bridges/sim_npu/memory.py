"""The device's memory as the engine uses it, so that regions exchange results without the host."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING

from lite.ir.types import Array, DType
from lite.plugin.device import Memory

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk


class Block:
    """Memory on the device for one tensor, freed with the last reference to the block."""

    def __init__(self, memory: sdk.Memory, nbytes: int) -> None:
        self.handle = memory.allocate(nbytes)
        weakref.finalize(self, memory.free, self.handle)


class NpuMemory(Memory):
    """Allocates `Block`s."""

    def __init__(self, memory: sdk.Memory) -> None:
        self._memory = memory

    def allocate(self, shape: tuple[int, ...], dtype: DType) -> Block:
        return Block(self._memory, math.prod(shape) * dtype.itemsize)

    def copy_in(self, handle: Block, array: Array) -> None:
        self._memory.copy_in(handle.handle, array)

    def copy_out(self, handle: Block, array: Array) -> None:
        self._memory.copy_out(handle.handle, array)
