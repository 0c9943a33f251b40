"""A clean state for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lite.compat import onnxruntime
from lite.compat.onnxruntime.environment import warn_ignored


@pytest.fixture(autouse=True)
def clean_state() -> Iterator[None]:
    """Uninstalls the shim after each test, and resets the warnings before and after."""
    warn_ignored.reset()
    yield
    onnxruntime.environment.use_settings()
    warn_ignored.reset()
