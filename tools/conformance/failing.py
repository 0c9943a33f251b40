"""Make an installed device fail on purpose, for a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import DEVICES, CompiledModel, Device, Signature


class SimulatedError(Exception):
    """Stands for whatever a vendor's library may throw: none of litebridge's errors."""


@dataclass
class Fault:
    """What goes wrong, and how often the device was asked meanwhile.

    `run` is the number of the first run that fails; 0 is none.
    """

    available: bool = False
    says_no: bool = False
    compile: bool = False
    names_op: bool = False
    refuses_region: bool = False
    serialize: bool = False
    load: bool = False
    run: int = 0
    missing_result: bool = False
    compiled: int = 0
    runs: int = 0


class _FailingModel(CompiledModel):
    """A model of the device, which fails when it is told to."""

    def __init__(self, model: CompiledModel, fault: Fault) -> None:
        self._model, self._fault = model, fault
        self.threads = model.threads

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        self._fault.runs += 1
        if self._fault.run and self._fault.runs >= self._fault.run:
            raise SimulatedError("the run was made to fail")
        results = self._model.run(inputs, outputs)
        return list(results)[1:] if self._fault.missing_result else results

    def serialize(self) -> bytes | None:
        if self._fault.serialize:
            raise SimulatedError("serialising was made to fail")
        return self._model.serialize()


@contextmanager
def failing(name: str, fault: Fault) -> Iterator[Fault]:
    """While entered, devices of this name that are opened have the fault."""
    cls, owner = DEVICES.get(name), DEVICES.owner(name)
    DEVICES.remove(name)
    DEVICES.add(name, _failing_class(cls, fault), owner)
    try:
        yield fault
    finally:
        DEVICES.remove(name)
        DEVICES.add(name, cls, owner)


def _failing_class(cls: type[Device[Any]], fault: Fault) -> type[Device[Any]]:
    """The device's class with the methods that can fail; it has the same module, for the cache's key."""

    def available(self: Device[Any]) -> str | None:
        if fault.available:
            raise SimulatedError("asking whether it is there was made to fail")
        return "it was made to say no" if fault.says_no else cls.available(self)

    def why_not_region(self: Device[Any], graph: Graph) -> str | None:
        return (
            "the region was made to be refused" if fault.refuses_region else cls.why_not_region(self, graph)
        )

    def compile_region(self: Device[Any], graph: Graph, signature: Signature) -> CompiledModel:
        fault.compiled += 1
        if fault.compile:
            raise SimulatedError("compiling was made to fail")
        if fault.names_op:
            raise CompileError("an op was made to fail", next(iter(graph)).label)
        return _FailingModel(cls.compile(self, graph, signature), fault)

    def load(self: Device[Any], blob: bytes) -> CompiledModel:
        if fault.load:
            raise SimulatedError("loading was made to fail")
        return _FailingModel(cls.load(self, blob), fault)

    methods: dict[str, Callable[..., Any]] = {
        "available": available,
        "why_not_region": why_not_region,
        "compile": compile_region,
        "load": load,
    }
    return type(cls.__name__, (cls,), {"__module__": cls.__module__, **methods})
