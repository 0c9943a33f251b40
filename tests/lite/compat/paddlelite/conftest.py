"""A model for these tests, and a clean state around each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.compat import paddlelite
from lite.compat.paddlelite.notice import warn_once
from tests.lite.compat.paddle_inference import models


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """Nothing installed and nothing warned of, before and after."""
    warn_once.forget()
    yield
    paddlelite.uninstall()
    warn_once.forget()


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The folder of `models.save_relu_of_sum`."""
    return str(models.save_relu_of_sum(tmp_path / "relu_of_sum"))
