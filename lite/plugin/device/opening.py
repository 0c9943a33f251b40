"""Open devices that are named as text: ``name`` or ``name{key=value, …}``."""

from __future__ import annotations

from typing import Any

from lite.errors import CompileError, ConfigError, suggest
from lite.plugin.boundary import at_boundary
from lite.plugin.device.devices import DEVICES, Device, Settings
from lite.plugin.loader import load_devices
from lite.spec.grammar import Spec, parse_spec
from lite.spec.options import bind


def open_device(text: str | Spec, settings: Settings | None = None) -> Device[Any]:
    """The device that `text` names, with its options; whether it is there is asked later.

    Raises `ConfigError` for a device that is not installed and for options it does not have, and
    `CompileError` where its class fails to open it.
    """
    spec = parse_spec(text) if isinstance(text, str) else text
    load_devices(spec.name)
    cls = DEVICES.find(spec.name)
    if cls is None:
        load_devices()
        known = ", ".join(sorted(DEVICES)) or "none"
        raise ConfigError(
            f"no device is called {spec.name!r}{suggest(spec.name, list(DEVICES))}; devices: {known}"
        )
    options = bind(spec, cls.Options, "device")
    given = Settings() if settings is None else settings
    try:
        return at_boundary(spec.name, "opening the device", lambda: cls(options, given))
    except CompileError as error:
        if isinstance(error.__cause__, ConfigError):
            raise error.__cause__ from None
        raise
