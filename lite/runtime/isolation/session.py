"""The worker's side: a device, its models and handles, and the answers to requests."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array, DType
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Device, Memory, Settings, Tensor
from lite.runtime.isolation.channel import BUILDING, Channel, Message, Parcel, message_spec, spec_message
from lite.runtime.isolation.region_parcel import unpack_region
from lite.runtime.isolation.segment import Box, Segment, TensorSpec

T = TypeVar("T")


class Session:
    """Answers one request after the other, until the other end is closed."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._name = ""
        self._device: Device[Any] | None = None
        self._memory: Memory | None = None
        self._models: dict[int, CompiledModel] = {}
        self._handles: dict[int, Tensor] = {}
        self._numbers = 0
        self._inbox: Segment | None = None
        self._outbox = Box()
        self._requests: dict[str, Callable[[Parcel], Message]] = {
            "open": self._open,
            "available": self._available,
            "version": self._version,
            "memory": self._has_memory,
            "compile": self._compile,
            "load": self._load,
            "serialize": self._serialize,
            "run": self._run,
            "allocate": self._allocate,
            "copy_in": self._copy_in,
            "copy_out": self._copy_out,
        }

    def serve(self) -> None:
        """Answer until there is nobody to answer."""
        while (parcel := self._channel.receive()) is not None:
            answer = self._answer(parcel)
            unsent = self._outbox.unsent if "tensors" in answer else None
            try:
                self._channel.send(answer, unsent)
            except ConnectionError:
                return

    def _answer(self, parcel: Parcel) -> Message:
        for number in parcel.message["drop"]:
            self._models.pop(number, None)
            self._handles.pop(number, None)
        do = parcel.message["do"]
        self._name = parcel.message.get("name", self._name)
        try:
            return self._call("serving it", lambda: self._requests[do](parcel), do not in BUILDING)
        except (CompileError, ExecutionError) as error:
            return {
                "error": str(error),
                "op": error.op if isinstance(error, CompileError) else None,
                "traceback": "".join(traceback.format_exception(error)),
            }

    def _open(self, parcel: Parcel) -> Message:
        message = parcel.message
        module, _, name = message["opener"].partition(":")

        def opened() -> Device[Any]:
            for needed in message["modules"]:
                importlib.import_module(needed)
            device: Device[Any] = vars(importlib.import_module(module))[name](
                message["spec"], Settings(message["threads"], message["precision"])
            )
            return device

        self._device = self._call("opening the device", opened)
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
        return self._kept(self._call("compiling", lambda: self.device.compile(graph, signature)))

    def _load(self, parcel: Parcel) -> Message:
        blob = parcel.contents.array(message_spec(parcel.message["blob"])).tobytes()
        return self._kept(self._call("loading a kept model", lambda: self.device.load(blob)))

    def _serialize(self, parcel: Parcel) -> Message:
        blob = self._call("serialising a model", self._models[parcel.message["model"]].serialize)
        return {"tensors": None} if blob is None else self._sent([np.frombuffer(blob, np.uint8)])

    def _run(self, parcel: Parcel) -> Message:
        inbox = self._received(parcel)
        inputs = [self._tensor(inbox, item) for item in parcel.message["inputs"]]
        model = self._models[parcel.message["model"]]
        if self._memory is not None:
            handles = self._call(
                "running", lambda: model.run(inputs, [None] * parcel.message["outputs"]), True
            )
            return {"handles": [self._numbered(self._handles, handle) for handle in handles]}
        wanted = parcel.message["wanted"]
        specs = iter(self._outbox.reserve(message_spec(spec) for spec in wanted if spec is not None))
        placed = [None if spec is None else next(specs) for spec in wanted]
        outputs = [None if spec is None else self._outbox.array(spec) for spec in placed]

        def run() -> Message:
            results = [np.asarray(result) for result in model.run(inputs, outputs)]
            if len(results) == len(placed) and all(map(_same, results, outputs)):
                return self._tensors([spec for spec in placed if spec is not None])
            return self._sent(results)

        return self._call("running", run, True)

    def _allocate(self, parcel: Parcel) -> Message:
        shape, dtype = tuple(parcel.message["shape"]), DType.from_name(parcel.message["dtype"])
        handle = self._call("allocating memory", lambda: self.memory.allocate(shape, dtype), True)
        return {"handle": self._numbered(self._handles, handle)}

    def _copy_in(self, parcel: Parcel) -> Message:
        inbox = self._received(parcel)
        array = self._tensor(inbox, parcel.message["tensor"])
        handle = self._handles[parcel.message["handle"]]
        self._call("writing to its memory", lambda: self.memory.copy_in(handle, array), True)
        return {}

    def _copy_out(self, parcel: Parcel) -> Message:
        handle = self._handles[parcel.message["handle"]]
        (spec,) = self._outbox.reserve([message_spec(parcel.message["wanted"])])
        array = self._outbox.array(spec)
        self._call("reading its memory", lambda: self.memory.copy_out(handle, array), True)
        return self._tensors([spec])

    @property
    def device(self) -> Device[Any]:
        """The device that was opened."""
        assert self._device is not None, "the first request opens the device"
        return self._device

    @property
    def memory(self) -> Memory:
        """The memory that was opened."""
        assert self._memory is not None, "handles are for devices with memory"
        return self._memory

    def _call(self, doing: str, call: Callable[[], T], running: bool = False) -> T:
        return at_boundary(self._name, doing, call, running=running)

    def _kept(self, model: CompiledModel) -> Message:
        return {"model": self._numbered(self._models, model), "threads": model.threads}

    def _numbered(self, kept: dict[int, Any], item: object) -> int:
        self._numbers += 1
        kept[self._numbers] = item
        return self._numbers

    def _received(self, parcel: Parcel) -> Segment | None:
        if parcel.segment is not None:
            self._inbox = parcel.segment
        return self._inbox

    def _tensor(self, inbox: Segment | None, item: Message) -> Any:
        if "handle" in item:
            return self._handles[item["handle"]]
        assert inbox is not None, "the first tensor comes with its segment"
        array = inbox.array(message_spec(item))
        array.flags.writeable = False
        return array

    def _sent(self, arrays: Sequence[Array]) -> Message:
        return self._tensors(self._outbox.put(arrays))

    def _tensors(self, specs: Sequence[TensorSpec]) -> Message:
        return {"tensors": [spec_message(spec) for spec in specs]}


def _same(result: Array, output: Array | None) -> bool:
    """Whether a result is the very array that was offered for it."""
    return output is not None and result is output
