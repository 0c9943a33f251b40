"""A device whose SDK is used in a worker process only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import CompiledModel, Device, Memory, Signature
from lite.runtime.isolation.channel import Message, Parcel, spec_message
from lite.runtime.isolation.model import IsolatedMemory, IsolatedModel, RemoteItem
from lite.runtime.isolation.region_parcel import pack_region
from lite.runtime.isolation.segment import ALIGNMENT, Box
from lite.runtime.isolation.worker import Process, Worker

OPENER = "lite.passes.devices:open_device"
"""What the worker calls, with a spec's text and `Settings`, to have its device: ``module:function``."""


@dataclass(frozen=True)
class TimeLimits:
    """Seconds after which a worker that does not answer is ended; None waits for ever."""

    build: float | None = None
    run: float | None = None


def isolated(
    device: Device[Any], spec: str, limits: TimeLimits | None = None, *, opener: str = OPENER
) -> Device[Any]:
    """A device like `device`, which `spec` names, that is looked for, compiles and runs elsewhere.

    Bridges, patterns, limits and region passes are asked here, so the result is of a class that derives
    from the device's; all that needs the SDK happens in a worker process.  It is started when it is
    first needed, and serves one request at a time.  When it is killed, crashes, or exceeds a limit,
    whoever waits for it gets a `CompileError` or an `ExecutionError`, and so do the models that were
    there; the next one who compiles or loads gets a new process.
    """
    cls = type(f"Isolated{type(device).__name__}", (IsolatedDevice, type(device)), {})
    found = cast("IsolatedDevice", cls.__new__(cls))
    vars(found).update(vars(device))
    found.connect(type(device).__module__, spec, opener, limits or TimeLimits())
    return found


class IsolatedDevice(Device[Any]):
    """What `isolated` puts before a device's own class."""

    def connect(self, module: str, spec: str, opener: str, limits: TimeLimits) -> None:
        """Say which device the worker opens, and how; `module` is the one that registers it."""
        opening = {
            "name": self.name,
            "modules": [module],
            "opener": opener,
            "spec": spec,
            "threads": self.settings.threads,
            "precision": self.settings.precision,
        }
        self._worker = Worker(self.name, opening)
        self._limits = limits
        self._found_version: str | None = None
        self._memories: tuple[Process, Memory | None] | None = None

    def available(self) -> str | None:
        """What the device says in the worker, or why there is no worker to ask."""
        try:
            reason: str | None = self._ask({"do": "available"}, "looking for the device")[1]["reason"]
        except CompileError as error:
            return str(error)
        return reason

    def version(self) -> str:
        """What the device says in the worker; asked once."""
        if self._found_version is None:
            self._found_version = self._ask({"do": "version"}, "telling its version")[1]["version"]
        return self._found_version

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Compile in the worker; raises `CompileError` also when it ends or does not answer in time."""
        try:
            parcel = pack_region(graph, signature)
        except OSError as error:
            raise CompileError(
                f"{self.name}: no shared memory for the region's constants: {error}"
            ) from error
        parcel.message["do"] = "compile"
        return self._model(parcel, "compiling")

    def load(self, blob: bytes) -> CompiledModel:
        """Load in the worker; raises `CompileError` as `compile`."""
        box = Box()
        try:
            (spec,) = box.put([np.frombuffer(blob, np.uint8)])
        except OSError as error:
            raise CompileError(f"{self.name}: no shared memory for the kept model: {error}") from error
        message = {"do": "load", "blob": spec_message(spec)}
        return self._model(Parcel(message, [box.segment]), "loading a kept model")

    def memory(self) -> Memory | None:
        """That of the device in the worker there is now."""
        with self._worker.lock:
            process = self._worker.running()
            if self._memories is None or self._memories[0] is not process:
                has = self._worker.ask(process, {"do": "memory"}, "opening its memory", self._limits.build)
                found = IsolatedMemory(self._worker, process, self._limits.run) if has["memory"] else None
                self._memories = process, found
            return self._memories[1]

    def _model(self, parcel: Parcel, doing: str) -> CompiledModel:
        in_memory = self.memory() is not None
        process, answer = self._ask(parcel.message, doing, parcel)
        item = RemoteItem(self._worker, process, answer["model"])
        alignment = max(self.limits.alignment, ALIGNMENT)
        return IsolatedModel(self._worker, item, self._limits.run, alignment, in_memory)

    def _ask(self, message: Message, doing: str, parcel: Parcel | None = None) -> tuple[Process, Message]:
        with self._worker.lock:
            process = self._worker.running()
            segments = [] if parcel is None else parcel.segments
            return process, self._worker.ask(process, message, doing, self._limits.build, segments)
