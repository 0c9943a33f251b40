"""What an opened device says of itself before it is asked about any op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lite.errors import CompileError
from lite.plugin.boundary import at_boundary
from lite.plugin.device.convert import composites_of
from lite.plugin.device.devices import Device
from lite.plugin.pattern import Composite


@dataclass(frozen=True)
class DeviceFacts:
    """Why a device cannot be used here, None when it can, and its composites then."""

    why_not: str | None
    composites: tuple[Composite, ...] = ()


def facts_of(device: Device[Any]) -> DeviceFacts:
    """Ask a device; one that fails to answer, to open its memory or to name composites cannot be used."""
    try:
        reason = at_boundary(device.name, "asking whether it is there", device.available)
        if reason is not None:
            return DeviceFacts(reason)
        at_boundary(device.name, "opening its memory", device.memory)
        return DeviceFacts(None, composites_of(device))
    except CompileError as error:
        return DeviceFacts(str(error))
