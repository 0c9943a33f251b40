"""The devices of one predictor."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from lite.errors import CompileError, ConfigError
from lite.ir.graph import Graph
from lite.plugin.device.devices import CompiledModel, Device, Settings, Signature
from lite.plugin.device.opening import DeviceFacts, facts_of, open_device
from lite.spec.grammar import Spec, parse_spec

log = logging.getLogger(__name__)

Wrap = Callable[[Device[Any], str], Device[Any]]
"""Makes of an opened device, and the text that named it, the one to be used."""


class UnopenedDevice(Device[Any]):
    """In place of a device whose class failed to open it."""

    reason = ""

    @classmethod
    def named(cls, name: str, settings: Settings, reason: str) -> Device[Any]:
        """One that is called as the device would be."""
        own: type[UnopenedDevice] = type(cls.__name__, (cls,), {"name": name, "reason": reason})
        return own(cls.Options(), settings)

    def available(self) -> str | None:
        """What went wrong when it was opened."""
        return self.reason

    def version(self) -> str:
        """Nothing: no model is ever made."""
        return ""

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Raises `CompileError`."""
        raise CompileError(self.reason)


class DeviceRoster:
    """Opens each device once, asks it once whether it is there, and complains once of what is wrong with it.

    With `fallback` "warn" a complaint is a warning, which `warnings` keep, and the host does the device's
    work; otherwise it is a `CompileError`.  Threads may share a roster.
    """

    def __init__(
        self, settings: Settings | None = None, fallback: str = "warn", wrap: Wrap | None = None
    ) -> None:
        self.warnings: list[str] = []
        self._settings = settings or Settings()
        self._fallback = fallback
        self._wrap = wrap
        self._opened: dict[str, Device[Any]] = {}
        self._texts: dict[Device[Any], str] = {}
        self._facts: dict[Device[Any], DeviceFacts] = {}
        self._said: set[object] = set()
        self._lock = threading.RLock()

    def open(self, named: str | Spec) -> Device[Any]:
        """The device that a text names; one that throws when it is opened is there, but cannot be used.

        Raises `ConfigError` for a device that is not installed and for options it does not have.
        """
        spec = parse_spec(named) if isinstance(named, str) else named
        with self._lock:
            if str(spec) not in self._opened:
                device = self._open(spec)
                self._opened[str(spec)] = device
                self._texts[device] = named if isinstance(named, str) else str(spec)
            return self._opened[str(spec)]

    def open_all(self, texts: Sequence[str]) -> tuple[Device[Any], ...]:
        """Every device of a list; raises `ConfigError` also for one that is named twice."""
        opened = tuple(self.open(text) for text in texts)
        twice = named_twice([device.name for device in opened])
        if twice is not None:
            raise ConfigError(f"devices: {twice!r} is named twice in {list(texts)}")
        return opened

    def text(self, device: Device[Any]) -> str:
        """What named a device, with its options."""
        return self._texts.get(device, device.name)

    def facts(self, device: Device[Any]) -> DeviceFacts:
        """What a device says of itself; complains where it cannot be used."""
        with self._lock:
            found = self._facts.get(device)
            if found is None:
                found = self._facts[device] = facts_of(device)
        if found.why_not is not None:
            self.complain(device, f"device {device.name} cannot be used: {found.why_not}")
        return found

    def complain(self, about: object, sentence: str) -> None:
        """Say what is wrong, once for each thing it is `about`."""
        if self._fallback == "error":
            raise CompileError(sentence)
        with self._lock:
            is_news = about not in self._said
            self._said.add(about)
        if is_news:
            log.warning("%s", sentence)
            self.warnings.append(sentence)

    def _open(self, spec: Spec) -> Device[Any]:
        try:
            device = open_device(spec, self._settings)
        except CompileError as error:
            return UnopenedDevice.named(spec.name, self._settings, str(error))
        return device if self._wrap is None else self._wrap(device, str(spec))


def named_twice(names: Sequence[str]) -> str | None:
    """The first name that a list has more than once."""
    return next((name for n, name in enumerate(names) if name in names[:n]), None)
