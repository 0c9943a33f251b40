"""Which devices can be used here."""

from __future__ import annotations

import functools

import pytest

import lite


@functools.cache
def missing(device: str) -> str | None:
    """Why a device cannot be used here."""
    return next(found.why_not for found in lite.list_devices() if found.name == device)


def require(*devices: str) -> None:
    """Skip the test unless all of these can be used."""
    for device in devices:
        reason = missing(device)
        if reason is not None:
            pytest.skip(f"{device}: {reason}")
