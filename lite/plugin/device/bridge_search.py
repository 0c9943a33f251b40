"""Finds the bridges of a device: its own, and those that it shares with devices of the same file format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lite.plugin.device.bridges import BRIDGES, Bridge
from lite.plugin.device.devices import Device
from lite.plugin.loader import load_all_bridges, load_bridges


def bridge_names(device: Device[Any] | type[Device[Any]]) -> tuple[str, ...]:
    """The names under which the bridges of a device are registered, the preferred one first."""
    return (device.name, device.shared_bridges) if device.shared_bridges else (device.name,)


def find_bridge(device: Device[Any], op: str) -> Bridge | None:
    """The bridge of an op or composite; None if there is none, or if its file is not loaded."""
    entries = (BRIDGES.find((name, op)) for name in bridge_names(device))
    return next((entry for entry in entries if entry is not None), None)


def load_bridges_of(device: Device[Any], ops: Iterable[str]) -> None:
    """Import the bridges of a device for these op types."""
    listed = list(ops)
    for name in bridge_names(device):
        load_bridges(name, listed)


def own_bridges(device: Device[Any]) -> list[str]:
    """Every op and composite that has a bridge of this device's own, sorted; imports all of them."""
    load_all_bridges(device.name)
    return sorted(op for name, op in BRIDGES if name == device.name)


def bridged_ops(device: Device[Any] | type[Device[Any]]) -> list[str]:
    """Every op and composite that has a bridge for a device, sorted; imports all its bridges."""
    names = bridge_names(device)
    for name in names:
        load_all_bridges(name)
    return sorted({op for name, op in BRIDGES if name in names})
