"""IsolatedMemory: the memory of a device in a worker process."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array, DType
from lite.plugin.device import Memory
from lite.runtime.isolation.channel import spec_message
from lite.runtime.isolation.remote_item import RemoteItem
from lite.runtime.isolation.segment import TensorSpec
from lite.runtime.isolation.worker import Worker, read_tensors


class IsolatedMemory(Memory):
    """Handles are numbers of tensors in the worker; their content is copied through shared memory."""

    def __init__(self, worker: Worker, limit: float | None) -> None:
        self._worker = worker
        self._limit = limit

    def allocate(self, shape: tuple[int, ...], dtype: DType) -> RemoteItem:
        """A handle; when it is dropped, the worker frees the tensor with the next request."""
        message = {"do": "allocate", "shape": shape, "dtype": str(dtype)}
        with self._worker.lock:
            process = self._worker.last()
            answer = self._worker.ask(process, message, "allocating memory", self._limit)
        return RemoteItem(self._worker, process, answer["handle"])

    def copy_in(self, handle: RemoteItem, array: Array) -> None:
        """Copy an array through shared memory to the device's memory."""
        requests = handle.process.requests
        with self._worker.lock:
            (spec,) = requests.put([array])
            message = {"do": "copy_in", "handle": handle.number, "tensor": spec_message(spec)}
            self._worker.ask(handle.process, message, "writing to its memory", self._limit, requests.unsent)

    def copy_out(self, handle: RemoteItem, array: Array) -> None:
        """Copy a tensor from the device's memory through shared memory to an array."""
        tensor = spec_message(TensorSpec.of(array))
        message = {"do": "copy_out", "handle": handle.number, "tensor": tensor}
        with self._worker.lock:
            answer = self._worker.ask(handle.process, message, "reading its memory", self._limit)
            np.copyto(array, read_tensors(handle.process, answer)[0])
