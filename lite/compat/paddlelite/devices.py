"""Which devices that Paddle-Lite code names are there."""

from __future__ import annotations

from collections.abc import Sequence

from lite.compat.paddlelite.notice import warn_once
from lite.plugin.device import DEVICES
from lite.plugin.loader import load_devices

OURS = {"intel_openvino": "openvino"}
"""Paddle-Lite's names of devices that are called otherwise here."""


def usable_devices(names: Sequence[str]) -> tuple[str, ...]:
    """Our names of those of `names` that are installed, in the same order; the others give a warning."""
    known = installed_devices()
    wanted = [OURS.get(name, name) for name in names]
    for name, ours in zip(names, wanted, strict=True):
        if ours not in known:
            warn_once(f"the device {name!r}", "no such device is installed; its ops run on the host")
    return tuple(dict.fromkeys(name for name in wanted if name in known))


def installed_devices() -> set[str]:
    """Names of the devices that are installed, whether or not they can be used here."""
    load_devices()
    return set(DEVICES)
