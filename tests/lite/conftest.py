"""A folder that other users may enter."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A new folder outside those of pytest: each pytest that starts closes their parent to other users."""
    with tempfile.TemporaryDirectory(prefix="litebridge-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
