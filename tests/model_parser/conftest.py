"""A fixture for tests of damaged models: a limit of the memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

MOST = 32 * 2**20
"""The most bytes that reading a small model may take, whatever its damage."""


@pytest.fixture
def memory() -> Iterator[None]:
    """Fail the test where its peak of memory exceeds `MOST`."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST
