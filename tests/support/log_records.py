"""What was logged during a test."""

from __future__ import annotations

import logging

import pytest


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The warnings and what is worse, in order, without those of kernels: that they are being compiled."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and not record.name.startswith("lite.kernels.")
    ]
