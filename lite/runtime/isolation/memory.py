"""The memory of a device in a worker process."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array, DType
from lite.plugin.device import Memory
from lite.runtime.isolation.channel import spec_message
from lite.runtime.isolation.remote_item import RemoteItem
from lite.runtime.isolation.segment import TensorSpec
from lite.runtime.isolation.worker import Worker, received


class IsolatedMemory(Memory):
    """Handles are numbers in the worker; what they stand for crosses in shared memory."""

    def __init__(self, worker: Worker, limit: float | None) -> None:
        self._worker = worker
        self._limit = limit

    def allocate(self, shape: tuple[int, ...], dtype: DType) -> RemoteItem:
        """A handle; the worker hears of its end with the next request."""
        message = {"do": "allocate", "shape": shape, "dtype": str(dtype)}
        with self._worker.lock:
            process = self._worker.last()
            answer = self._worker.ask(process, message, "allocating memory", self._limit)
        return RemoteItem(self._worker, process, answer["handle"])

    def copy_in(self, handle: RemoteItem, array: Array) -> None:
        """Through the shared memory into the device's."""
        inbox = handle.process.inbox
        with self._worker.lock:
            (spec,) = inbox.put([array])
            message = {"do": "copy_in", "handle": handle.number, "tensor": spec_message(spec)}
            self._worker.ask(handle.process, message, "writing to its memory", self._limit, inbox.unsent)

    def copy_out(self, handle: RemoteItem, array: Array) -> None:
        """Out of the device's memory through the shared one."""
        wanted = spec_message(TensorSpec.of(array))
        message = {"do": "copy_out", "handle": handle.number, "wanted": wanted}
        with self._worker.lock:
            answer = self._worker.ask(handle.process, message, "reading its memory", self._limit)
            np.copyto(array, received(handle.process, answer)[0])
