"""Models for these tests, and a clean state for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.compat import paddle_inference
from lite.compat.paddle_inference.environment import warn_ignored
from tests.lite.compat.paddle_inference import models


@pytest.fixture(autouse=True)
def clean_state() -> Iterator[None]:
    """Uninstalls the shim after each test, and resets the warnings before and after."""
    warn_ignored.reset()
    yield
    paddle_inference.uninstall()
    warn_ignored.reset()


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The folder of `models.save_relu_of_sum`."""
    return str(models.save_relu_of_sum(tmp_path / "relu_of_sum"))
