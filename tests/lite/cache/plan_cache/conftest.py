"""A model, and starts of predictors that share one cache."""

from __future__ import annotations

from pathlib import Path

import pytest

import lite
from lite.cache import plan_cache
from tests.lite.cache.plan_cache.starts import Starts
from tests.support.small_convnet import convnet


@pytest.fixture(autouse=True)
def _no_waiting_for_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache plans of models that were just written, too."""
    monkeypatch.setattr(plan_cache, "CLOCK_TICK_NS", -(10**12))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starts:
    return Starts(tmp_path / "cache", monkeypatch)
