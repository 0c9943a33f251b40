"""Messages that were logged during a test."""

from __future__ import annotations

import logging

import pytest


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The warnings and errors in order, without the messages of kernels that are compiled."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and not record.name.startswith("lite.kernels.")
    ]
