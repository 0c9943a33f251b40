"""A device whose SDK is used in a worker process only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import CompiledModel, Device, Memory, Signature
from lite.runtime.isolation.channel import Message, Parcel, spec_message
from lite.runtime.isolation.memory import IsolatedMemory
from lite.runtime.isolation.model import IsolatedModel
from lite.runtime.isolation.region_parcel import pack_region
from lite.runtime.isolation.remote_item import RemoteItem
from lite.runtime.isolation.segment import ALIGNMENT, Segment
from lite.runtime.isolation.worker import Process, Worker

OPENER = "lite.plugin.device.opening:open_device"
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
    own = type(device)
    cls = type(f"Isolated{own.__name__}", (IsolatedDevice, own), {"__module__": own.__module__})
    found: IsolatedDevice = object.__new__(cls)
    vars(found).update(vars(device))
    opening = {
        "name": device.name,
        "modules": [own.__module__],
        "opener": opener,
        "spec": spec,
        "threads": device.settings.threads,
        "precision": device.settings.precision,
    }
    found._isolation = _Isolation(Worker(device.name, opening), limits or TimeLimits())
    return found


class _Isolation:
    """What an isolated device knows of its worker: one attribute, so that none of the device's is hidden."""

    def __init__(self, worker: Worker, limits: TimeLimits) -> None:
        self.worker = worker
        self.limits = limits
        self.version: str | None = None
        self._opened: tuple[Process, Memory | None] | None = None

    def ask(self, message: Message, doing: str, segment: Segment | None = None) -> tuple[Process, Message]:
        """The process there is, started if need be, and its answer."""
        with self.worker.lock:
            process = self.worker.running()
            return process, self.worker.ask(process, message, doing, self.limits.build, segment)

    def memory(self) -> Memory | None:
        """That of the device in the process there is."""
        with self.worker.lock:
            process = self.worker.running()
            if self._opened is None or self._opened[0] is not process:
                has = self.ask({"do": "memory"}, "opening its memory")[1]["memory"]
                self._opened = process, IsolatedMemory(self.worker, self.limits.run) if has else None
            return self._opened[1]

    def model(self, parcel: Parcel, doing: str, alignment: int) -> CompiledModel:
        """The model that the worker makes of a parcel."""
        with self.worker.lock:
            in_memory = self.memory() is not None
            process, answer = self.ask(parcel.message, doing, parcel.segment)
            item = RemoteItem(self.worker, process, answer["model"])
            return IsolatedModel(self.worker, item, self.limits.run, alignment, in_memory)


class IsolatedDevice(Device[Any]):
    """What `isolated` puts before a device's own class."""

    _isolation: _Isolation

    def available(self) -> str | None:
        """What the device says in the worker, or why there is no worker to ask."""
        try:
            answer = self._isolation.ask({"do": "available"}, "looking for the device")[1]
        except CompileError as error:
            return str(error)
        reason: str | None = answer["reason"]
        return reason

    def version(self) -> str:
        """What the device says in the worker; asked once."""
        found = self._isolation
        if found.version is None:
            found.version = str(found.ask({"do": "version"}, "reading its version")[1]["version"])
        return found.version

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Compile in the worker; raises `CompileError` also when it ends or does not answer in time."""
        try:
            parcel = pack_region(graph, signature)
        except OSError as error:
            raise CompileError(
                f"{self.name}: no shared memory for the region's constants: {error}"
            ) from error
        parcel.message["do"] = "compile"
        return self._isolation.model(parcel, "compiling", self._alignment)

    def load(self, blob: bytes) -> CompiledModel:
        """Load in the worker; raises `CompileError` as `compile`."""
        try:
            segment, (spec,) = Segment.holding([np.frombuffer(blob, np.uint8)])
        except OSError as error:
            raise CompileError(f"{self.name}: no shared memory for the kept model: {error}") from error
        parcel = Parcel({"do": "load", "blob": spec_message(spec)}, segment)
        return self._isolation.model(parcel, "loading a kept model", self._alignment)

    def memory(self) -> Memory | None:
        """That of the device in the worker."""
        return self._isolation.memory()

    @property
    def _alignment(self) -> int:
        return max(self.limits.alignment, ALIGNMENT)
