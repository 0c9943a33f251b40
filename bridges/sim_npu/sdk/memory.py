"""The device's own memory: hosts see handles, and copy in and out."""

from __future__ import annotations

import collections
import itertools
import threading
from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk import limits
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


class Memory:
    """Blocks of bytes by handle; several threads may use it at once."""

    def __init__(self, capacity: int = limits.MEMORY_BYTES) -> None:
        self.capacity = capacity
        self._used = 0
        self._freed: collections.deque[int] = collections.deque()
        self._blocks: dict[int, Array] = {}
        self._handles = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def used(self) -> int:
        """How many bytes are in use."""
        with self._lock:
            return self._settled()

    def allocate(self, nbytes: int) -> int:
        """The handle of a new block; raises `NpuError` when the memory is full."""
        with self._lock:
            free = self.capacity - self._settled()
            if nbytes > free:
                raise NpuError(Status.OUT_OF_MEMORY, f"{nbytes} bytes wanted, {free} of {self.capacity} free")
            self._used += nbytes
            handle = next(self._handles)
            self._blocks[handle] = np.empty(nbytes, np.uint8)
            return handle

    def free(self, handle: int) -> None:
        """Give a block back; finalizers may call it, which run anywhere: it takes no lock."""
        self._freed.append(self._block(handle).size)
        del self._blocks[handle]

    def copy_in(self, handle: int, array: Array) -> None:
        """Write a whole block; `array` may have any layout."""
        block = self._sized(handle, array.nbytes)
        block[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)

    def copy_out(self, handle: int, array: Array) -> None:
        """Read a whole block into an array of any layout."""
        array[...] = self._sized(handle, array.nbytes).view(array.dtype).reshape(array.shape)

    def view(self, handle: int, found: TensorType) -> Array:
        """The block as the operators see it (for the runtime)."""
        return self._sized(handle, found.nbytes).view(found.dtype).reshape(found.shape)

    def free_all(self, handles: Sequence[int]) -> None:
        """Give several blocks back."""
        for handle in handles:
            self.free(handle)

    def _settled(self) -> int:
        """The bytes in use after all that was given back; call it with the lock."""
        while self._freed:
            self._used -= self._freed.popleft()
        return self._used

    def _sized(self, handle: int, nbytes: int) -> Array:
        block = self._block(handle)
        if block.size != nbytes:
            raise NpuError(Status.SIZE_MISMATCH, f"the block has {block.size} bytes, the tensor {nbytes}")
        return block

    def _block(self, handle: int) -> Array:
        block = self._blocks.get(handle)
        if block is None:
            raise NpuError(Status.INVALID_HANDLE, f"no block has the handle {handle}")
        return block
