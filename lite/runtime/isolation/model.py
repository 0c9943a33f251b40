"""A compiled model that lives in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Tensor
from lite.runtime.isolation.channel import Message, spec_message
from lite.runtime.isolation.remote_item import RemoteItem
from lite.runtime.isolation.segment import TensorSpec
from lite.runtime.isolation.worker import Worker, received


class IsolatedModel(CompiledModel):
    """Copies inputs to shared memory and results from it; several threads get their turns in the worker.

    `in_memory` says that the device has a memory of its own, of which the model takes and gives handles.
    """

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
        """Run in the worker; raises `ExecutionError` also when it ends or does not answer in time."""
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
            return None if answer["tensors"] is None else received(process, answer)[0].tobytes()

    def _run_on_arrays(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        inbox = self._item.process.inbox
        specs = [spec_message(spec) for spec in inbox.put(inputs, self._alignment)]
        wanted = [None if output is None else spec_message(TensorSpec.of(output)) for output in outputs]
        results = received(self._item.process, self._ask({"inputs": specs, "wanted": wanted}))
        given = [*outputs, *[None] * len(results)]
        return [_copied(result, output) for result, output in zip(results, given, strict=False)]

    def _run_on_handles(self, inputs: Sequence[RemoteItem], outputs: int) -> list[RemoteItem]:
        process = self._item.process
        if any(item.process is not process for item in inputs):
            raise ExecutionError(f"{self._worker.name}: an input lay in a worker process that ended")
        answer = self._ask({"inputs": [{"handle": item.number} for item in inputs], "outputs": outputs})
        return [RemoteItem(self._worker, process, number) for number in answer["handles"]]

    def _ask(self, message: Message) -> Message:
        process = self._item.process
        request = {"do": "run", "model": self._item.number, **message}
        return self._worker.ask(process, request, "running a model", self._limit, process.inbox.unsent)


def _copied(result: Array, output: Array | None) -> Array:
    if output is None or (output.shape, output.dtype) != (result.shape, result.dtype):
        return result.copy()
    np.copyto(output, result)
    return output
