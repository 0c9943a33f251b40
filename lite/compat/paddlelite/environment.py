"""The environment that a program asks about: the version of the API, warnings, and installed devices."""

from __future__ import annotations

from collections.abc import Sequence

from lite import __version__
from lite.compat.settings import WarnIgnored
from lite.plugin.device import DEVICES
from lite.plugin.loader import load_devices

PADDLE_LITE_VERSION = "2.13"
"""The release of Paddle-Lite whose Python API is imitated."""

OTHER_NAMES = {"intel_openvino": "openvino"}
"""Paddle-Lite's name of a device → litebridge's, where the names differ."""

warn_ignored = WarnIgnored("paddlelite")


def get_version() -> str:
    """The versions of the API and of litebridge."""
    return f"v{PADDLE_LITE_VERSION} (litebridge {__version__})"


def usable_devices(names: Sequence[str]) -> tuple[str, ...]:
    """The installed devices among `names`, in the same order; logs a warning for each other one."""
    installed = installed_devices()
    own_names = [OTHER_NAMES.get(name, name) for name in names]
    for name, own_name in zip(names, own_names, strict=True):
        if own_name not in installed:
            warn_ignored(f"the device {name!r}", "no such device is installed; its ops run on the host")
    return tuple(dict.fromkeys(name for name in own_names if name in installed))


def installed_devices() -> set[str]:
    """The names of the installed devices, whether or not this machine can use them."""
    load_devices()
    return set(DEVICES)
