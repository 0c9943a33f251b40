"""Makes an installed device fail on purpose."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import DEVICES, CompiledModel, Device, Evidence, ModelGroup, Signature
from lite.session.devices import in_its_process
from lite.spec.grammar import Spec


class InjectedError(Exception):
    """Represents any exception of a vendor's library: it is not an error of litebridge."""


@dataclass
class Fault:
    """The points at which the device fails, and counters of its calls.

    With `unavailable`, `available` returns a reason.  `run` is the number of the first run that fails; 0
    is none.  `compiled` and `runs` count calls.
    """

    available: bool = False
    unavailable: bool = False
    compile: bool = False
    names_op: bool = False
    refuses_region: bool = False
    serialize: bool = False
    load: bool = False
    run: int = 0
    missing_result: bool = False
    compiled: int = 0
    runs: int = 0


class _FaultyModel(CompiledModel):
    """A compiled model of the device, with a fault."""

    def __init__(self, model: CompiledModel, fault: Fault) -> None:
        self._model, self._fault = model, fault
        self.threads = model.threads

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        self._fault.runs += 1
        if self._fault.run and self._fault.runs >= self._fault.run:
            raise InjectedError("the conformance kit made run() fail")
        results = self._model.run(inputs, outputs)
        return list(results)[1:] if self._fault.missing_result else results

    def serialize(self) -> bytes | None:
        if self._fault.serialize:
            raise InjectedError("the conformance kit made serialize() fail")
        return self._model.serialize()

    def evidence(self) -> Evidence | None:
        return self._model.evidence()


class _FaultyGroup(ModelGroup):
    """Models that the device compiled together, with a fault."""

    def __init__(self, group: ModelGroup, fault: Fault) -> None:
        self._group, self._fault = group, fault

    @property
    def models(self) -> Sequence[CompiledModel]:
        return [_FaultyModel(model, self._fault) for model in self._group.models]

    def serialize(self) -> bytes | None:
        if self._fault.serialize:
            raise InjectedError("the conformance kit made serialize() fail")
        return self._group.serialize()


@contextmanager
def inject(name: str, fault: Fault) -> Iterator[Fault]:
    """Give the fault to each device `name` that is opened in this context."""
    cls, owner = DEVICES.get(name), DEVICES.owner(name)
    DEVICES.remove(name)
    DEVICES.add(name, _faulty_class(cls, fault), owner)
    try:
        yield fault
    finally:
        DEVICES.remove(name)
        DEVICES.add(name, cls, owner)


def _faulty_class(registered: type[Device[Any]], fault: Fault) -> type[Device[Any]]:
    """A subclass of the device's class; it keeps the module, which is part of the cache's key."""
    cls = registered if registered.environment is None else _forwarding(registered)

    def available(self: Device[Any]) -> str | None:
        if fault.available:
            raise InjectedError("the conformance kit made available() fail")
        return "the conformance kit made the device unavailable" if fault.unavailable else cls.available(self)

    def why_not_region(self: Device[Any], graph: Graph) -> str | None:
        if fault.refuses_region:
            return "the conformance kit made the device refuse the region"
        return cls.why_not_region(self, graph)

    def compile_region(self: Device[Any], graph: Graph, signature: Signature) -> CompiledModel:
        fault.compiled += 1
        if fault.compile:
            raise InjectedError("the conformance kit made compile() fail")
        if fault.names_op:
            raise CompileError("the conformance kit made this op fail", next(iter(graph)).label)
        return _FaultyModel(cls.compile(self, graph, signature), fault)

    def load(self: Device[Any], blob: bytes) -> CompiledModel:
        if fault.load:
            raise InjectedError("the conformance kit made load() fail")
        return _FaultyModel(cls.load(self, blob), fault)

    def compile_all(self: Device[Any], parts: Sequence[tuple[Graph, Signature]]) -> ModelGroup:
        if fault.compile or fault.names_op:
            raise InjectedError("the conformance kit made compile_all() fail")
        return _FaultyGroup(cls.compile_all(self, parts), fault)

    def load_all(self: Device[Any], blob: bytes) -> ModelGroup:
        if fault.load:
            raise InjectedError("the conformance kit made load_all() fail")
        return _FaultyGroup(cls.load_all(self, blob), fault)

    methods: dict[str, Callable[..., Any]] = {
        "compile_all": compile_all,
        "load_all": load_all,
        "available": available,
        "why_not_region": why_not_region,
        "compile": compile_region,
        "load": load,
    }
    return type(cls.__name__, (cls,), {"__module__": cls.__module__, **methods})


def _forwarding(cls: type[Device[Any]]) -> type[Device[Any]]:
    """A class in this process, where faults are injected, that forwards to the device in its worker."""
    workers: dict[int, Device[Any]] = {}

    def worker(self: Device[Any]) -> Device[Any]:
        if id(self) not in workers:
            spec = Spec(cls.name, tuple(vars(self.options).items()))
            workers[id(self)] = in_its_process(cls(self.options, self.settings), str(spec))
            weakref.finalize(self, workers.pop, id(self))
        return workers[id(self)]

    methods: dict[str, Any] = {
        "environment": None,
        "shares_weights": False,
        "available": lambda self: worker(self).available(),
        "version": lambda self: worker(self).version(),
        "memory": lambda self: worker(self).memory(),
        "compile": lambda self, graph, signature: worker(self).compile(graph, signature),
        "load": lambda self, blob: worker(self).load(blob),
    }
    return type(cls.__name__, (cls,), {"__module__": cls.__module__, **methods})
