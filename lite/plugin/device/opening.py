"""Installed devices: open one by name, ask whether it can be used, list all of them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from lite.dataclass import dataclass
from lite.errors import CompileError, ConfigError, suggest
from lite.plugin.boundary import at_boundary
from lite.plugin.device.bridge_search import bridged_ops
from lite.plugin.device.bridging import composites_of
from lite.plugin.device.devices import DEVICES, Device, Settings
from lite.plugin.loader import load_devices
from lite.plugin.pattern import Composite
from lite.spec.grammar import Spec, parse_spec
from lite.spec.options import bind


def open_device(text: str | Spec, settings: Settings | None = None) -> Device[Any]:
    """The device that ``name`` or ``name{key=value, …}`` names, opened with its options.

    Whether it can be used is another question, which `facts_of` answers.  Raises `ConfigError` for a
    device that is not installed and for an option that it does not have, and `CompileError` where the
    device's own class fails.
    """
    spec = parse_spec(text) if isinstance(text, str) else text
    cls = device_class(spec.name)
    options = bind(spec, cls.Options, "device")
    device_settings = Settings() if settings is None else settings
    try:
        return at_boundary(spec.name, "opening the device", lambda: cls(options, device_settings))
    except CompileError as error:
        if isinstance(error.__cause__, ConfigError):
            raise error.__cause__ from None
        raise


def device_class(name: str) -> type[Device[Any]]:
    """The class of an installed device; raises `ConfigError` if there is none of this name."""
    load_devices(name)
    cls = DEVICES.find(name)
    if cls is None:
        load_devices()
        installed = ", ".join(sorted(DEVICES)) or "none"
        raise ConfigError(f"no device is called {name!r}{suggest(name, list(DEVICES))}; devices: {installed}")
    return cls


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


@dataclass(frozen=True)
class DeviceInfo:
    """An installed device: why it cannot be used (None when it can), its version in that case, its names.

    `options` are the keys that ``name{key=value}`` may set, with their defaults and the author's text about
    them; `ops` are the ops that it has bridges for.
    """

    name: str
    why_not: str | None
    version: str
    options: tuple[str, ...]
    ops: tuple[str, ...]
    defaults: tuple[str, ...] = ()
    about_options: str = ""


def infos_of(open_named: Callable[[str], Device[Any]] = open_device) -> list[DeviceInfo]:
    """Every installed device, sorted by name; `open_named` opens one by its name."""
    load_devices()
    return [info_of(name, open_named) for name in sorted(DEVICES)]


def info_of(name: str, open_named: Callable[[str], Device[Any]] = open_device) -> DeviceInfo:
    """One installed device; raises `ConfigError` if there is none of this name."""
    cls = device_class(name)
    fields = [field for field in dataclasses.fields(cls.Options) if field.init]
    options = tuple(field.name for field in fields)
    ops = tuple(bridged_ops(cls))
    try:
        device = open_named(name)
        why_not = facts_of(device).why_not
        version = at_boundary(name, "asking its version", device.version) if why_not is None else ""
    except CompileError as error:
        why_not, version = str(error), ""
    defaults = tuple("" if field.default is MISSING else str(field.default) for field in fields)
    return DeviceInfo(name, why_not, version, options, ops, defaults, about_options(cls))


def about_options(cls: type[Device[Any]]) -> str:
    """The author's text about a device's options, and below it those of the classes that they extend."""
    owners = [owner for owner in cls.Options.__mro__ if inspect.get_annotations(owner)]
    return "\n\n".join(inspect.cleandoc(owner.__doc__ or "") for owner in owners)
