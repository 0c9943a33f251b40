"""Isolated devices: the vendor's SDK is used in a worker process only."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import CompiledModel, Device, Memory, Signature
from lite.runtime.isolation.channel import Message, Parcel, spec_message
from lite.runtime.isolation.launch import OwnEnvironment
from lite.runtime.isolation.memory import IsolatedMemory
from lite.runtime.isolation.model import IsolatedModel
from lite.runtime.isolation.region_parcel import pack_region
from lite.runtime.isolation.remote_item import RemoteItem
from lite.runtime.isolation.segment import ALIGNMENT, Segment
from lite.runtime.isolation.worker import Process, Worker

OPENER = "lite.plugin.device.opening:open_device"
"""``module:function`` that the worker calls with a spec's text and `Settings` to open its device."""

OPENING_SECONDS = 120.0
"""Seconds within which the interpreter of a device's own environment must start and open the device."""


@dataclass(frozen=True)
class TimeLimits:
    """Seconds after which a worker that does not answer is killed; None means no limit."""

    build: float | None = None
    run: float | None = None

    def or_else(self, seconds: float) -> TimeLimits:
        """These limits, with `seconds` in place of None."""
        build, run = (seconds if limit is None else limit for limit in (self.build, self.run))
        return TimeLimits(build, run)


def isolated(
    device: Device[Any], spec: str, limits: TimeLimits | None = None, *, opener: str = OPENER
) -> Device[Any]:
    """A copy of `device`, which `spec` names, that uses the vendor's SDK in a worker process.

    Availability, version, memory, compiling and running are requests to the worker.  Bridges, patterns,
    limits and region passes stay in this process, so the result's class derives from the device's.  The
    first request starts the worker, which serves one request at a time.  When it crashes, is killed, or
    exceeds a limit, the pending request fails with a `CompileError` or an `ExecutionError`, and so do later
    runs of its models.  The next request to compile or load starts a new worker.  The worker of a device
    with an `environment` of its own has the interpreter of that environment.
    """
    device_class = type(device)
    cls = type(
        f"Isolated{device_class.__name__}",
        (IsolatedDevice, device_class),
        {"__module__": device_class.__module__},
    )
    result: IsolatedDevice = object.__new__(cls)
    vars(result).update(vars(device))
    opening = {
        "name": device.name,
        "modules": [device_class.__module__],
        "opener": opener,
        "spec": spec,
        "threads": device.settings.threads,
        "precision": device.settings.precision,
    }
    limits = limits or TimeLimits()
    if device.environment is None:
        worker = Worker(device.name, opening)
    else:
        limits = limits.or_else(device.environment.seconds)
        worker = Worker(device.name, opening, OwnEnvironment(device, device.environment), OPENING_SECONDS)
    result.shares_weights = False
    result._isolation = _Isolation(worker, limits)
    return result


class _Isolation:
    """The worker of an isolated device; one attribute holds it all, to hide no attribute of the device."""

    def __init__(self, worker: Worker, limits: TimeLimits) -> None:
        self.worker = worker
        self.limits = limits
        self.version: str | None = None
        self._opened: tuple[Process, Memory | None] | None = None

    def ask(self, message: Message, activity: str, segment: Segment | None = None) -> tuple[Process, Message]:
        """The worker process, started if needed, and its answer; `activity` is for error messages."""
        with self.worker.lock:
            process = self.worker.running()
            return process, self.worker.ask(process, message, activity, self.limits.build, segment)

    def memory(self) -> Memory | None:
        """The device's memory in the current worker process; None if the device has no memory of its own."""
        with self.worker.lock:
            process = self.worker.running()
            if self._opened is None or self._opened[0] is not process:
                has_memory = self.ask({"do": "memory"}, "opening its memory")[1]["memory"]
                memory = IsolatedMemory(self.worker, self.limits.run) if has_memory else None
                self._opened = process, memory
            return self._opened[1]

    def model(self, parcel: Parcel, activity: str, alignment: int) -> CompiledModel:
        """The model that the worker compiles or loads from a parcel."""
        with self.worker.lock:
            has_memory = self.memory() is not None
            process, answer = self.ask(parcel.message, activity, parcel.segment)
            item = RemoteItem(self.worker, process, answer["model"])
            return IsolatedModel(self.worker, item, self.limits.run, alignment, has_memory)


class IsolatedDevice(Device[Any]):
    """The base class that comes before the device's class in the classes that `isolated` makes."""

    _isolation: _Isolation

    def available(self) -> str | None:
        """What the device in the worker returns, or the reason why the worker cannot start or answer."""
        try:
            answer = self._isolation.ask({"do": "available"}, "looking for the device")[1]
        except CompileError as error:
            return str(error)
        reason: str | None = answer["reason"]
        return reason

    def version(self) -> str:
        """The version of the device in the worker; requested once."""
        isolation = self._isolation
        if isolation.version is None:
            isolation.version = str(isolation.ask({"do": "version"}, "reading its version")[1]["version"])
        return isolation.version

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Compile in the worker; raises `CompileError`, also when the worker ends or exceeds its limit."""
        try:
            parcel = pack_region(graph, signature)
        except OSError as error:
            raise CompileError(
                f"{self.name}: cannot allocate shared memory for the region's constants: {error}"
            ) from error
        parcel.message["do"] = "compile"
        return self._isolation.model(parcel, "compiling", self._alignment)

    def load(self, blob: bytes) -> CompiledModel:
        """Load in the worker; raises `CompileError` as `compile` does."""
        try:
            segment, (spec,) = Segment.holding([np.frombuffer(blob, np.uint8)])
        except OSError as error:
            raise CompileError(
                f"{self.name}: cannot allocate shared memory for the cached model: {error}"
            ) from error
        parcel = Parcel({"do": "load", "blob": spec_message(spec)}, segment)
        return self._isolation.model(parcel, "loading a cached model", self._alignment)

    def memory(self) -> Memory | None:
        """The memory of the device in the worker."""
        return self._isolation.memory()

    @property
    def _alignment(self) -> int:
        return max(self.limits.alignment, ALIGNMENT)
