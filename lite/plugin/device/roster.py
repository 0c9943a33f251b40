"""DeviceRoster: the devices of one predictor, each opened once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lite.errors import CompileError, ConfigError
from lite.ir.graph import Graph
from lite.plugin.device.compiled_model import CompiledModel
from lite.plugin.device.devices import Device, Settings, Signature
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.spec.grammar import Spec, parse_spec

# Not imported at run time: a model that only the host runs loads faster without it.
if TYPE_CHECKING:
    from lite.plugin.device.opening import DeviceFacts

log = logging.getLogger(__name__)

Wrap = Callable[[Device[Any], str], Device[Any]]
"""Wraps an opened device; the second argument is the text that named it."""


class UnopenedDevice(Device[Any]):
    """Replaces a device whose class raised an error when it was opened; it is never available."""

    reason = ""

    @classmethod
    def named(cls, name: str, settings: Settings, reason: str) -> Device[Any]:
        """A device of this class with a name and the reason of the failure."""
        subclass: type[UnopenedDevice] = type(cls.__name__, (cls,), {"name": name, "reason": reason})
        return subclass(cls.Options(), settings)

    def available(self) -> str | None:
        """The failure at opening."""
        return self.reason

    def version(self) -> str:
        """Empty, because no model is ever compiled."""
        return ""

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        """Raises `CompileError` with the failure at opening."""
        raise CompileError(self.reason)


class DeviceRoster:
    """Opens each device once, asks once whether it can be used, and reports each problem once.

    With `fallback` "warn" a problem is logged and kept in `warnings`, and the host does the work of the
    device; with "error" it raises `CompileError`.  Threads may share a roster.
    """

    def __init__(
        self, settings: Settings | None = None, fallback: str = "warn", wrap: Wrap | None = None
    ) -> None:
        self.warnings: list[str] = []
        self._settings = settings or Settings()
        self._fallback = fallback
        self._wrap = wrap
        self._opened: dict[str, Device[Any]] = {}
        self._specs: dict[Device[Any], str] = {}
        self._facts: dict[Device[Any], DeviceFacts] = {}
        self._reported: set[object] = set()
        self._lock = OwnedLock()

    def open(self, text: str | Spec) -> Device[Any]:
        """The device that a text names; an `UnopenedDevice` if its own class fails to open it.

        Raises `ConfigError` for a device that is not installed and for options it does not have.
        """
        spec = parse_spec(text) if isinstance(text, str) else text
        with self._lock:
            if str(spec) not in self._opened:
                device = self._open(spec)
                self._opened[str(spec)] = device
                self._specs[device] = text if isinstance(text, str) else str(spec)
            return self._opened[str(spec)]

    def open_all(self, specs: Sequence[str]) -> tuple[Device[Any], ...]:
        """Every device of a list; raises `ConfigError` also for a device that is named twice."""
        opened = tuple(self.open(text) for text in specs)
        twice = named_twice([device.name for device in opened])
        if twice is not None:
            raise ConfigError(f"devices: {twice!r} is named twice in {list(specs)}")
        return opened

    def text(self, device: Device[Any]) -> str:
        """The text that named a device, with its options."""
        return self._specs.get(device, device.name)

    def facts(self, device: Device[Any]) -> DeviceFacts:
        """The answers of a device, asked once; reports a device that cannot be used."""
        from lite.plugin.device.opening import facts_of

        with self._lock:
            facts = self._facts.get(device)
            if facts is None:
                facts = self._facts[device] = facts_of(device)
        if facts.why_not is not None:
            self.complain(device, f"device {device.name} cannot be used: {facts.why_not}")
        return facts

    def complain(self, about: object, sentence: str) -> None:
        """Report a problem, once for each key `about`; raises `CompileError` with fallback "error"."""
        if self._fallback == "error":
            raise CompileError(sentence)
        with self._lock:
            is_new = about not in self._reported
            self._reported.add(about)
        if is_new:
            log.warning("%s", sentence)
            self.warnings.append(sentence)

    def _open(self, spec: Spec) -> Device[Any]:
        from lite.plugin.device.opening import open_device

        try:
            device = open_device(spec, self._settings)
        except CompileError as error:
            return UnopenedDevice.named(spec.name, self._settings, str(error))
        return device if self._wrap is None else self._wrap(device, str(spec))


def named_twice(names: Sequence[str]) -> str | None:
    """The first name that repeats an earlier one; None if all differ."""
    return next((name for n, name in enumerate(names) if name in names[:n]), None)
