"""What tests of damaged models share."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

MOST = 32 * 2**20
"""Bytes that reading small models may take, however damaged they are."""


@pytest.fixture
def memory() -> Iterator[None]:
    """Fails the test when it takes much memory at any time."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST
