"""Which devices that Paddle-Lite code names are there."""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Sequence

from lite.compat.paddlelite.notice import warn_once
from lite.plugin.loader import BRIDGES


def usable_devices(names: Sequence[str]) -> tuple[str, ...]:
    """Those of `names` that have bridges here, in the same order; the others give a warning."""
    known = installed_devices()
    for name in names:
        if name not in known:
            warn_once(f"the device {name!r}", "no such device is installed; its ops run on the host")
    return tuple(name for name in names if name in known)


def installed_devices() -> set[str]:
    """Names of the devices that have bridges here."""
    spec = importlib.util.find_spec(BRIDGES)
    folders = None if spec is None else spec.submodule_search_locations
    return {module.name for module in pkgutil.iter_modules(folders) if module.ispkg} if folders else set()
