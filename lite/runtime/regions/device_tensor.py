"""DeviceTensor: a value in a device's own memory, while only regions of that device read it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.ops import Meta
from lite.plugin.device import Memory, Tensor


@dataclass(frozen=True, eq=False)
class DeviceTensor:
    """A tensor in a device's memory, by its handle.

    `on_loss` is called with the error if the tensor cannot be read; it makes the next run compute the tensor
    on the host.
    """

    memory: Memory
    handle: Tensor
    meta: Meta
    on_loss: Callable[[ExecutionError], None] | None = None

    @classmethod
    def of(cls, memory: Memory, array: Array) -> DeviceTensor:
        """A copy of a contiguous array in the device's memory."""
        meta = Meta.of(array, known=False)
        handle = memory.allocate(array.shape, meta.dtype)
        memory.copy_in(handle, array)
        return cls(memory, handle, meta)

    def array(self, out: Array | None = None) -> Array:
        """A copy on the host: in `out`, or in a new array."""
        if out is None:
            if not self.meta.is_static:
                raise ExecutionError(f"a tensor of {self.meta} cannot be read: its shape is unknown")
            out = np.empty(tuple(int(dim) for dim in self.meta.dims), self.meta.dtype.numpy)
        self.memory.copy_out(self.handle, out)
        return out


class LostTensorError(ExecutionError):
    """Raised when a tensor in a device's memory cannot be read; the run has to start again."""


def on_host(value: Array | DeviceTensor) -> Array:
    """A value as an array, copied from the device if it is there."""
    return value.array() if isinstance(value, DeviceTensor) else value
