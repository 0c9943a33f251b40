"""IsolatedModel: a compiled model in a worker process."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Evidence, Tensor
from lite.runtime.isolation.channel import EncodedMessage, Message, spec_message
from lite.runtime.isolation.remote_item import RemoteItem
from lite.runtime.isolation.segment import TensorSpec
from lite.runtime.isolation.worker import Worker, read_tensors


class IsolatedModel(CompiledModel):
    """Runs a model in the worker, through shared memory; threads may share it, but take turns in the worker.

    With `has_memory`, the device has its own memory, and inputs and results are handles of it.
    """

    threads: Literal["shared", "one"] = "shared"
    # In a forked process, the worker refuses with a sentence of its own.
    survives_fork = True

    def __init__(
        self, worker: Worker, item: RemoteItem, limit: float | None, alignment: int, has_memory: bool
    ) -> None:
        self._worker = worker
        self._item = item
        self._limit = limit
        self._alignment = alignment
        self._has_memory = has_memory
        self._seconds = 0.0
        """The time that the last run took in the worker."""

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor | None]) -> Sequence[Tensor]:
        """Run in the worker; raises `ExecutionError`, also when the worker ends or exceeds the time limit."""
        with self._worker.lock:
            if self._has_memory:
                return self._run_on_handles(inputs, len(outputs))
            return self._run_on_arrays(inputs, outputs)

    def serialize(self) -> bytes | None:
        """The bytes of the worker's model; None if the device cannot store it."""
        process = self._item.process
        message = {"do": "serialize", "model": self._item.number}
        with self._worker.lock:
            answer = self._worker.ask(process, message, "serialising a model", None)
            return None if answer["tensors"] is None else read_tensors(process, answer)[0].tobytes()

    def files(self) -> Mapping[str, bytes]:
        """The files of the worker's model."""
        process = self._item.process
        message = {"do": "files", "model": self._item.number}
        with self._worker.lock:
            answer = self._worker.ask(process, message, "writing the files of a model", None)
            contents = read_tensors(process, answer)
            return {path: array.tobytes() for path, array in zip(answer["paths"], contents, strict=True)}

    def evidence(self) -> Evidence | None:
        """The evidence of the worker's model."""
        message = {"do": "evidence", "model": self._item.number}
        with self._worker.lock:
            answer = self._worker.ask(self._item.process, message, "asking for evidence", None)["evidence"]
        return None if answer is None else Evidence(*answer)

    def _run_on_arrays(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        requests = self._item.process.requests
        specs = tuple(requests.put(inputs, self._alignment))
        buffers = tuple(None if output is None else TensorSpec.of(output) for output in outputs)
        request = _array_request(self._item.number, specs, buffers)
        results = read_tensors(self._item.process, self._ask(request))
        # The engine checks the number of results; here, extra ones are copied, too.
        targets = [*outputs, *[None] * len(results)]
        return [_copied(result, target) for result, target in zip(results, targets, strict=False)]

    def _run_on_handles(self, inputs: Sequence[RemoteItem], outputs: int) -> list[RemoteItem]:
        process = self._item.process
        if any(item.process is not process for item in inputs):
            raise ExecutionError(f"{self._worker.name}: an input is in a worker process that ended")
        handles = [{"handle": item.number} for item in inputs]
        answer = self._ask(_request(self._item.number, {"inputs": handles, "outputs": outputs}))
        return [RemoteItem(self._worker, process, number) for number in answer["handles"]]

    def _ask(self, request: Message) -> Message:
        process, start = self._item.process, time.perf_counter()
        answer = self._worker.ask(
            process, request, "running a model", self._limit, process.requests.unsent, self._seconds
        )
        self._seconds = time.perf_counter() - start
        return answer


def _request(number: int, fields: Message) -> Message:
    return {"do": "run", "model": number, **fields}


@functools.lru_cache(256)
def _array_request(
    number: int, inputs: tuple[TensorSpec, ...], buffers: tuple[TensorSpec | None, ...]
) -> EncodedMessage:
    places = [None if spec is None else spec_message(spec) for spec in buffers]
    fields = {"inputs": [spec_message(spec) for spec in inputs], "buffers": places}
    return EncodedMessage(_request(number, fields))


def _copied(result: Array, output: Array | None) -> Array:
    if output is None or (output.shape, output.dtype) != (result.shape, result.dtype):
        return result.copy()
    np.copyto(output, result)
    return output
