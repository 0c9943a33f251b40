"""Session: the worker process's side, which holds a device and answers requests."""

from __future__ import annotations

import functools
import importlib
import operator
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array, DType
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Device, Memory, Settings, Tensor
from lite.runtime.isolation.channel import (
    BUILDING,
    Channel,
    EncodedMessage,
    Message,
    Parcel,
    message_spec,
    spec_message,
)
from lite.runtime.isolation.region_parcel import unpack_region
from lite.runtime.isolation.segment import Segment, TensorBuffer, TensorSpec

T = TypeVar("T")


class Session:
    """Holds a device with its models and handles, and answers one request at a time."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._name = ""
        self._device: Device[Any] | None = None
        self._memory: Memory | None = None
        self._models: dict[int, CompiledModel] = {}
        self._handles: dict[int, Tensor] = {}
        self._last_number = 0
        self._request_segment: Segment | None = None
        self._answers = TensorBuffer()
        self._handlers: dict[str, Callable[[Parcel], Message]] = {
            "open": self._open,
            "available": self._available,
            "version": self._version,
            "memory": self._has_memory,
            "compile": self._compile,
            "load": self._load,
            "serialize": self._serialize,
            "files": self._files,
            "evidence": self._evidence,
            "run": self._run,
            "allocate": self._allocate,
            "copy_in": self._copy_in,
            "copy_out": self._copy_out,
        }

    def serve(self) -> None:
        """Answer requests until the other end of the channel is closed."""
        while (parcel := self._next()) is not None:
            answer = self._answer(parcel)
            unsent = self._answers.unsent if "tensors" in answer else None
            try:
                self._channel.send(answer, unsent)
            except ConnectionError:
                return

    def _next(self) -> Parcel | None:
        self._channel.wait()
        return self._channel.receive()

    def _answer(self, parcel: Parcel) -> Message:
        for number in parcel.message.get("drop", ()):
            self._models.pop(number, None)
            self._handles.pop(number, None)
        do = parcel.message["do"]
        self._name = parcel.message.get("name", self._name)
        try:
            return self._call("serving a request", lambda: self._handlers[do](parcel), do not in BUILDING)
        except (CompileError, ExecutionError) as error:
            return {
                "error": str(error),
                "op": error.op if isinstance(error, CompileError) else None,
                "declined": _is_declined(error),
                "traceback": "".join(traceback.format_exception(error)),
            }

    def _open(self, parcel: Parcel) -> Message:
        message = parcel.message
        module, _, name = message["opener"].partition(":")

        def open_device() -> Device[Any]:
            for required in message["modules"]:
                importlib.import_module(required)
            device: Device[Any] = vars(importlib.import_module(module))[name](
                message["spec"], Settings(message["threads"], message["precision"])
            )
            return device

        self._device = self._call("opening the device", open_device)
        return {}

    def _available(self, parcel: Parcel) -> Message:
        return {"reason": self._call("looking for the device", self.device.available)}

    def _version(self, parcel: Parcel) -> Message:
        return {"version": str(self._call("reading its version", self.device.version))}

    def _has_memory(self, parcel: Parcel) -> Message:
        self._memory = self._call("opening its memory", self.device.memory)
        return {"memory": self._memory is not None}

    def _compile(self, parcel: Parcel) -> Message:
        graph, signature = self._call("reading the region", lambda: unpack_region(parcel))
        return self._add_model(self._call("compiling", lambda: self.device.compile(graph, signature)))

    def _load(self, parcel: Parcel) -> Message:
        blob = parcel.contents.array(message_spec(parcel.message["blob"])).tobytes()
        return self._add_model(self._call("loading a cached model", lambda: self.device.load(blob)))

    def _serialize(self, parcel: Parcel) -> Message:
        blob = self._call("serialising a model", self._models[parcel.message["model"]].serialize)
        return {"tensors": None} if blob is None else self._put_tensors([np.frombuffer(blob, np.uint8)])

    def _files(self, parcel: Parcel) -> Message:
        files = self._call("writing the files of a model", self._models[parcel.message["model"]].files)
        contents = [np.frombuffer(content, np.uint8) for content in files.values()]
        return {"paths": list(files), **self._put_tensors(contents)}

    def _evidence(self, parcel: Parcel) -> Message:
        evidence = self._call("asking for evidence", self._models[parcel.message["model"]].evidence)
        if evidence is None:
            return {"evidence": None}
        return {"evidence": [evidence.source, evidence.on_device, list(evidence.elsewhere)]}

    def _run(self, parcel: Parcel) -> Message:
        segment = self._receive_segment(parcel)
        inputs = [self._tensor(segment, item) for item in parcel.message["inputs"]]
        model = self._models[parcel.message["model"]]
        if self._memory is not None:
            handles = self._call(
                "running", lambda: model.run(inputs, [None] * parcel.message["outputs"]), True
            )
            return {"handles": [self._add(self._handles, handle) for handle in handles]}
        buffers = parcel.message["buffers"]
        specs = iter(self._answers.reserve(message_spec(spec) for spec in buffers if spec is not None))
        placed = [None if spec is None else next(specs) for spec in buffers]
        outputs = [None if spec is None else self._answers.array(spec) for spec in placed]

        def run() -> Message:
            results = [np.asarray(result) for result in model.run(inputs, outputs)]
            if len(results) == len(placed) and all(map(operator.is_, results, outputs)):
                return self._tensors([spec for spec in placed if spec is not None])
            return self._put_tensors(results)

        return self._call("running", run, True)

    def _allocate(self, parcel: Parcel) -> Message:
        shape, dtype = tuple(parcel.message["shape"]), DType.from_name(parcel.message["dtype"])
        handle = self._call("allocating memory", lambda: self.memory.allocate(shape, dtype), True)
        return {"handle": self._add(self._handles, handle)}

    def _copy_in(self, parcel: Parcel) -> Message:
        segment = self._receive_segment(parcel)
        array = self._tensor(segment, parcel.message["tensor"])
        handle = self._handles[parcel.message["handle"]]
        self._call("writing to its memory", lambda: self.memory.copy_in(handle, array), True)
        return {}

    def _copy_out(self, parcel: Parcel) -> Message:
        handle = self._handles[parcel.message["handle"]]
        (spec,) = self._answers.reserve([message_spec(parcel.message["tensor"])])
        array = self._answers.array(spec)
        self._call("reading its memory", lambda: self.memory.copy_out(handle, array), True)
        return self._tensors([spec])

    @property
    def device(self) -> Device[Any]:
        """The device, which the first request opens."""
        assert self._device is not None, "the first request opens the device"
        return self._device

    @property
    def memory(self) -> Memory:
        """The device's memory, once it was opened."""
        assert self._memory is not None, "handles belong to devices with memory"
        return self._memory

    def _call(self, activity: str, call: Callable[[], T], running: bool = False) -> T:
        return at_boundary(self._name, activity, call, running=running)

    def _add_model(self, model: CompiledModel) -> Message:
        return {"model": self._add(self._models, model), "threads": model.threads}

    def _add(self, items: dict[int, Any], item: object) -> int:
        """Add a model or handle; returns its number."""
        self._last_number += 1
        items[self._last_number] = item
        return self._last_number

    def _receive_segment(self, parcel: Parcel) -> Segment | None:
        """The segment of the request's tensors: a new one, or that of earlier requests."""
        if parcel.segment is not None:
            self._request_segment = parcel.segment
        return self._request_segment

    def _tensor(self, segment: Segment | None, item: Message) -> Any:
        """A handle, or a read-only array in the segment."""
        if "handle" in item:
            return self._handles[item["handle"]]
        assert segment is not None, "the first tensor comes with its segment"
        return segment.array(message_spec(item))

    def _put_tensors(self, arrays: Sequence[Array]) -> Message:
        return self._tensors(self._answers.put(arrays))

    def _tensors(self, specs: Sequence[TensorSpec]) -> Message:
        return _tensors_message(tuple(specs))


@functools.lru_cache(256)
def _tensors_message(specs: tuple[TensorSpec, ...]) -> EncodedMessage:
    return EncodedMessage({"tensors": [spec_message(spec) for spec in specs]})


def _is_declined(error: BaseException | None) -> bool:
    """Whether only `CompileError`s led to an error: the device declined, and nothing failed."""
    while error is not None:
        if not isinstance(error, CompileError):
            return False
        error = error.__cause__
    return True
