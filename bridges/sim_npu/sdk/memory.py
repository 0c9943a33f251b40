"""The device's own memory: hosts see handles, and copy in and out."""

from __future__ import annotations

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
        self.used = 0
        self._blocks: dict[int, Array] = {}
        self._handles = itertools.count(1)
        self._lock = threading.Lock()

    def allocate(self, nbytes: int) -> int:
        """The handle of a new block; raises `NpuError` when the memory is full."""
        with self._lock:
            if self.used + nbytes > self.capacity:
                raise NpuError(
                    Status.OUT_OF_MEMORY,
                    f"{nbytes} bytes wanted, {self.capacity - self.used} of {self.capacity} free",
                )
            self.used += nbytes
            handle = next(self._handles)
            self._blocks[handle] = np.empty(nbytes, np.uint8)
            return handle

    def free(self, handle: int) -> None:
        """Give a block back."""
        with self._lock:
            self.used -= self._block(handle).size
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
