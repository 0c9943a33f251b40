"""A compiled model, and tensors in the device's memory, that live in a worker process."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Literal

import numpy as np

from lite.ir.types import Array, DType
from lite.plugin.device import CompiledModel, Memory, Tensor
from lite.runtime.isolation.channel import Message, message_spec, spec_message
from lite.runtime.isolation.segment import TensorSpec
from lite.runtime.isolation.worker import Process, Worker


class RemoteItem:
    """Something the worker keeps under a number for as long as this object lives."""

    def __init__(self, worker: Worker, process: Process, number: int) -> None:
        self.process = process
        self.number = number
        weakref.finalize(self, worker.dropped.append, (number, process)).atexit = False


class IsolatedModel(CompiledModel):
    """Copies inputs to shared memory and results from it; the worker runs one model at a time."""

    threads: Literal["shared", "one"] = "shared"

    def __init__(
        self, worker: Worker, item: RemoteItem, limit: float | None, alignment: int, in_memory: bool
    ) -> None:
        self._worker = worker
        self._item = item
        self._limit = limit
        self._alignment = alignment
        self._in_memory = in_memory

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor | None]) -> Sequence[Tensor]:
        """Run in the worker; raises `ExecutionError` when it ends or does not answer in time."""
        with self._worker.lock:
            if self._in_memory:
                return self._run_on_handles(inputs, len(outputs))
            return self._run_on_arrays(inputs, outputs)

    def serialize(self) -> bytes | None:
        """What the worker's model says."""
        process = self._item.process
        message = {"do": "serialize", "model": self._item.number}
        with self._worker.lock:
            answer = self._worker.ask(process, message, "serialising a model", None)
            if answer["tensors"] is None:
                return None
            return _read(process, answer)[0].tobytes()

    def _run_on_arrays(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        process = self._item.process
        specs = process.inbox.put(inputs, self._alignment)
        wanted = [None if output is None else spec_message(TensorSpec.of(output)) for output in outputs]
        answer = self._ask({"inputs": [spec_message(spec) for spec in specs], "wanted": wanted})
        results = _read(process, answer)
        given = [*outputs, *[None] * len(results)]
        return [_copied(result, output) for result, output in zip(results, given, strict=False)]

    def _run_on_handles(self, inputs: Sequence[RemoteItem], outputs: int) -> list[RemoteItem]:
        process = self._item.process
        answer = self._ask({"inputs": [{"handle": item.number} for item in inputs], "outputs": outputs})
        return [RemoteItem(self._worker, process, number) for number in answer["handles"]]

    def _ask(self, message: Message) -> Message:
        process = self._item.process
        unsent = process.inbox.unsent
        return self._worker.ask(
            process,
            {"do": "run", "model": self._item.number, **message},
            "running a model",
            self._limit,
            [] if unsent is None else [unsent],
        )


class IsolatedMemory(Memory):
    """The memory of the worker's device; handles are numbers there."""

    def __init__(self, worker: Worker, process: Process, limit: float | None) -> None:
        self._worker = worker
        self._process = process
        self._limit = limit

    def allocate(self, shape: tuple[int, ...], dtype: DType) -> RemoteItem:
        """A handle; given back with the next request behind its end."""
        message = {"do": "allocate", "shape": shape, "dtype": str(dtype)}
        with self._worker.lock:
            answer = self._worker.ask(self._process, message, "allocating memory", self._limit)
        return RemoteItem(self._worker, self._process, answer["handle"])

    def copy_in(self, handle: RemoteItem, array: Array) -> None:
        """Through the shared memory into the device's."""
        with self._worker.lock:
            (spec,) = self._process.inbox.put([array])
            unsent = self._process.inbox.unsent
            message = {"do": "copy_in", "handle": handle.number, "tensor": spec_message(spec)}
            segments = [] if unsent is None else [unsent]
            self._worker.ask(self._process, message, "writing to its memory", self._limit, segments)

    def copy_out(self, handle: RemoteItem, array: Array) -> None:
        """Out of the device's memory through the shared one."""
        wanted = spec_message(TensorSpec.of(array))
        message = {"do": "copy_out", "handle": handle.number, "wanted": wanted}
        with self._worker.lock:
            answer = self._worker.ask(self._process, message, "reading its memory", self._limit)
            np.copyto(array, _read(self._process, answer)[0])


def _read(process: Process, answer: Message) -> list[Array]:
    """The arrays of an answer, as they lie in the shared memory."""
    specs = [message_spec(spec) for spec in answer["tensors"]]
    if not specs:
        return []
    assert process.inbound is not None, "the first tensors come with their segment"
    return [process.inbound.array(spec) for spec in specs]


def _copied(result: Array, output: Array | None) -> Array:
    if output is None or (output.shape, output.dtype) != (result.shape, result.dtype):
        return result.copy()
    np.copyto(output, result)
    return output
