"""Which devices are installed, and whether they can be used here."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from lite.errors import CompileError
from lite.plugin.boundary import at_boundary
from lite.plugin.device.bridges import BRIDGES
from lite.plugin.device.devices import DEVICES
from lite.plugin.device.opening import facts_of, open_device
from lite.plugin.loader import load_all_bridges, load_devices


@dataclass(frozen=True)
class DeviceInfo:
    """An installed device: why it cannot be used (None when it can), its version then, and what it takes.

    `options` are the names that ``name{key=value}`` may give, `ops` the ops it has bridges for.
    """

    name: str
    why_not: str | None
    version: str
    options: tuple[str, ...]
    ops: tuple[str, ...]


def list_devices() -> list[DeviceInfo]:
    """Every installed device, by name."""
    load_devices()
    return [_info(name) for name in sorted(DEVICES)]


def _info(name: str) -> DeviceInfo:
    cls = DEVICES.get(name)
    options = tuple(field.name for field in dataclasses.fields(cls.Options) if field.init)
    load_all_bridges(name)
    ops = tuple(sorted(op for device, op in BRIDGES if device == name))
    try:
        opened = open_device(name)
    except CompileError as error:
        return DeviceInfo(name, str(error), "", options, ops)
    why_not, version = facts_of(opened).why_not, ""
    if why_not is None:
        try:
            version = at_boundary(name, "asking its version", opened.version)
        except CompileError as error:
            why_not = str(error)
    return DeviceInfo(name, why_not, version, options, ops)
