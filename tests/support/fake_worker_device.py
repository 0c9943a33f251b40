"""A fake device for worker processes: it runs regions by the reference interpreter, with faults on demand."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Device, Settings, Signature
from lite.runtime.isolation import TimeLimits, isolated
from tests.support.interpreter.tensors import run_graph_on

HERE = "tests.support.fake_worker_device"
OPENER = f"{HERE}:open_faulty"


@dataclass(frozen=True)
class Options:
    """The fault `does` takes place in the device's method `when`."""

    when: str = ""
    does: str = ""


class FaultyDevice(Device[Options]):
    name = "faulty"

    def available(self) -> str | None:
        self.misbehave("available")
        return "no chip" if self.options.when == "unavailable" else None

    def version(self) -> str:
        self.misbehave("version")
        return f"faulty {self.settings.threads} {self.settings.precision} {os.getpid()}"

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        self.misbehave("compile")
        return FaultyModel(self, print_graph(graph), graph, signature)

    def load(self, blob: bytes) -> CompiledModel:
        self.misbehave("load")
        return FaultyModel(self, blob.decode(), parse_graph(blob.decode()), ())

    def misbehave(self, when: str) -> None:
        if self.options.when == when:
            _misbehave(self.options.does)


class FaultyModel(CompiledModel):
    def __init__(self, device: FaultyDevice, text: str, graph: Graph, signature: Signature) -> None:
        self.device, self.text, self.graph, self.signature = device, text, graph, signature
        self.earlier: Array | None = None

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        self.device.misbehave("run")
        does = self.device.options.does if self.device.options.when == "results" else ""
        results = run_graph_on(self.graph, inputs)
        if does == "write inputs":
            inputs[0][...] = 0
        if does == "in place":
            for result, output in zip(results, outputs, strict=True):
                assert output is not None
                np.copyto(output, result)
            return [output for output in outputs if output is not None]
        if does == "swapped":
            buffers = [output for output in outputs if output is not None]
            for result, output in zip(results, reversed(buffers), strict=True):
                np.copyto(output, result)
            return buffers[::-1]
        if does == "inputs":
            return inputs
        if does == "nothing":
            return []
        if does == "longer":
            return [np.concatenate([result, result]) for result in results]
        if does == "objects":
            return [np.array([object()]) for _ in results]
        return results

    def serialize(self) -> bytes | None:
        self.device.misbehave("serialize")
        return None if self.device.options.when == "not stored" else self.text.encode()

    def files(self) -> Mapping[str, bytes]:
        self.device.misbehave("files")
        if self.device.options.when == "not stored":
            return {}
        return {"graph.txt": self.text.encode(), "weights/": b"", "weights/none.bin": b""}


def open_faulty(spec: str, settings: Settings) -> FaultyDevice:
    """The device with the fault ``when:does``."""
    when, _, does = spec.partition(":")
    if when == "open":
        _misbehave(does)
    return FaultyDevice(Options(when, does), settings)


def faulty(spec: str = "", limits: TimeLimits | None = None, settings: Settings | None = None) -> Device[Any]:
    """The device in a worker process."""
    when, _, does = spec.partition(":")
    device = FaultyDevice(Options(when, does), settings or Settings())
    return isolated(device, spec, limits, opener=OPENER)


def _misbehave(does: str) -> None:
    if does == "raise":
        raise ValueError("the vendor's message")
    if does == "name":
        raise CompileError("too wide", "y")
    if does == "leave":
        sys.exit(3)
    if does == "exit":
        os._exit(7)
    if does == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if does == "crash":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.string_at(0)
    if does == "hang":
        time.sleep(1000)
    if does == "hang hard":
        # Holds Python's lock, so no signal handler in Python runs.
        ctypes.PyDLL(None).sleep(1000)
