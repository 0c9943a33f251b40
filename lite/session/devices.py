"""Devices as predictors use them: those with an environment of their own run in a worker process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lite.plugin.device import Device, Settings

# Most models are loaded without devices.
if TYPE_CHECKING:
    from lite.plugin.device.opening import DeviceInfo


def in_its_process(
    device: Device[Any], text: str, limit: float | None = None, *, isolate: bool = False
) -> Device[Any]:
    """The device, which `text` names, in a worker process if it has to be, or if `isolate` asks for it.

    A worker that does not answer within `limit` seconds is killed.
    """
    if not isolate and device.environment is None:
        return device
    from lite.runtime.isolation import TimeLimits, isolated  # most processes isolate no device

    return isolated(device, text, TimeLimits(limit, limit))


def open_in_its_process(text: str, settings: Settings | None = None) -> Device[Any]:
    """The device that ``name{key=value, …}`` names; raises as `open_device`."""
    from lite.plugin.device.opening import open_device

    return in_its_process(open_device(text, settings), text)


def device_info(name: str) -> DeviceInfo:
    """One installed device; raises `ConfigError` if there is none of this name."""
    from lite.plugin.device.opening import info_of

    return info_of(name, open_in_its_process)


def list_devices() -> list[DeviceInfo]:
    """Every installed device, sorted by name."""
    from lite.plugin.device.opening import infos_of

    return infos_of(open_in_its_process)
