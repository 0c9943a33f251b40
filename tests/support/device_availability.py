"""Skips tests of devices that are not available on this machine."""

from __future__ import annotations

import functools

import pytest

import lite


@functools.cache
def missing(device: str) -> str | None:
    """The reason why a device is not available, or None."""
    return next(each.why_not for each in lite.list_devices() if each.name == device)


def require(*devices: str) -> None:
    """Skip the test unless all of these devices are available."""
    for device in devices:
        reason = missing(device)
        if reason is not None:
            pytest.skip(f"{device}: {reason}")
