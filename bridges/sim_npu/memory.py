"""The device's memory as litebridge uses it, so that regions pass results on without the host."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from lite.ir.types import Array, DType
from lite.plugin.device import Memory

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk


class Block:
    """Room for one tensor in the device's memory, given back with the last reference to it."""

    def __init__(self, memory: sdk.Memory, nbytes: int) -> None:
        self.handle = memory.allocate(nbytes)
        weakref.finalize(self, memory.free, self.handle)


class NpuMemory(Memory):
    """Hands out `Block`s."""

    def __init__(self, memory: sdk.Memory) -> None:
        self._memory = memory

    def allocate(self, shape: tuple[int, ...], dtype: DType) -> Block:
        count = 1
        for size in shape:
            count *= size
        return Block(self._memory, count * dtype.itemsize)

    def copy_in(self, handle: Block, array: Array) -> None:
        self._memory.copy_in(handle.handle, array)

    def copy_out(self, handle: Block, array: Array) -> None:
        self._memory.copy_out(handle.handle, array)
