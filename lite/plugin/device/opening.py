"""Open devices that are named as ``name`` or ``name{key=value, …}``, and ask whether they can be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lite.errors import CompileError, ConfigError, suggest
from lite.plugin.boundary import at_boundary
from lite.plugin.device.convert import composites_of
from lite.plugin.device.devices import DEVICES, Device, Settings
from lite.plugin.loader import load_devices
from lite.plugin.pattern import Composite
from lite.spec.grammar import Spec, parse_spec
from lite.spec.options import bind


def open_device(text: str | Spec, settings: Settings | None = None) -> Device[Any]:
    """The device that `text` names, opened with its options; `facts_of` tells whether it can be used.

    Raises `ConfigError` for a device that is not installed and for an option that it does not have, and
    `CompileError` where the device's own class fails.
    """
    spec = parse_spec(text) if isinstance(text, str) else text
    load_devices(spec.name)
    cls = DEVICES.find(spec.name)
    if cls is None:
        load_devices()
        installed = ", ".join(sorted(DEVICES)) or "none"
        near = suggest(spec.name, list(DEVICES))
        raise ConfigError(f"no device is called {spec.name!r}{near}; devices: {installed}")
    options = bind(spec, cls.Options, "device")
    device_settings = Settings() if settings is None else settings
    try:
        return at_boundary(spec.name, "opening the device", lambda: cls(options, device_settings))
    except CompileError as error:
        if isinstance(error.__cause__, ConfigError):
            raise error.__cause__ from None
        raise


@dataclass(frozen=True)
class DeviceFacts:
    """Why a device cannot be used here, None when it can, and its composites in that case."""

    why_not: str | None
    composites: tuple[Composite, ...] = ()


def facts_of(device: Device[Any]) -> DeviceFacts:
    """Ask a device whether it is available, for its memory and for its composites.

    A device whose code fails at one of these questions cannot be used; the failure is the reason.
    """
    try:
        reason = at_boundary(device.name, "asking whether it is there", device.available)
        if reason is not None:
            return DeviceFacts(reason)
        at_boundary(device.name, "opening its memory", device.memory)
        return DeviceFacts(None, composites_of(device))
    except CompileError as error:
        return DeviceFacts(str(error))
