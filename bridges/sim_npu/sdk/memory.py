"""The device's own memory: the host sees handles, and copies data in and out."""

from __future__ import annotations

import collections
import itertools
import threading
from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk import limits
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.fork import renew_after_fork
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


class Memory:
    """Blocks of bytes by handle; several threads may use it at once."""

    def __init__(self, capacity: int = limits.MEMORY_BYTES) -> None:
        self.capacity = capacity
        self._used = 0
        self._freed_sizes: collections.deque[int] = collections.deque()
        self._blocks: dict[int, Array] = {}
        self._handles = itertools.count(1)
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Start with a free lock."""
        self._lock = threading.Lock()

    @property
    def used(self) -> int:
        """How many bytes are in use."""
        with self._lock:
            return self._update_used()

    def allocate(self, nbytes: int) -> int:
        """The handle of a new block; raises `NpuError` when the memory is full."""
        with self._lock:
            free = self.capacity - self._update_used()
            if nbytes > free:
                raise NpuError(
                    Status.OUT_OF_MEMORY,
                    f"cannot allocate {nbytes} bytes, {free} of {self.capacity} are free",
                )
            self._used += nbytes
            handle = next(self._handles)
            self._blocks[handle] = np.empty(nbytes, np.uint8)
            return handle

    def free(self, handle: int) -> None:
        """Free a block.  It takes no lock, because finalizers call it, which may run while a lock is held."""
        self._freed_sizes.append(self._block(handle).size)
        del self._blocks[handle]

    def copy_in(self, handle: int, array: Array) -> None:
        """Write a whole block; `array` may have any layout."""
        block = self._sized(handle, array.nbytes)
        block[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)

    def copy_out(self, handle: int, array: Array) -> None:
        """Read a whole block into an array of any layout."""
        array[...] = self._sized(handle, array.nbytes).view(array.dtype).reshape(array.shape)

    def view(self, handle: int, type_: TensorType) -> Array:
        """The block as an array that the operators read and write."""
        return self._sized(handle, type_.nbytes).view(type_.dtype).reshape(type_.shape)

    def free_all(self, handles: Sequence[int]) -> None:
        """Free several blocks."""
        for handle in handles:
            self.free(handle)

    def _update_used(self) -> int:
        """The bytes in use without the blocks freed so far; the caller holds the lock."""
        while self._freed_sizes:
            self._used -= self._freed_sizes.popleft()
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
