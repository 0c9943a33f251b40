"""A second start finds the plan in the cache where nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lite
from tests.lite.cache.plan_cache.starts import IMAGE, Starts, assert_alike


def test_a_second_start_neither_parses_nor_optimises(starts: Starts, model: Path) -> None:
    plain = lite.create_predictor(lite.Config(model))
    first, second = starts(model), starts(model)
    assert (starts.optimised, starts.parsed) == (1, 1)
    assert_alike(plain, first, IMAGE)
    assert_alike(first, second, IMAGE)
    assert_alike(second, second.clone(), IMAGE)
    assert second.report().to_dict() == plain.report().to_dict()
    assert second.pass_records == []
    assert second.optimized_program().blocks[0].ops == plain.optimized_program().blocks[0].ops


def test_nothing_is_cached_without_a_cache_directory(starts: Starts, model: Path) -> None:
    lite.create_predictor(lite.Config(model)).run([IMAGE])
    assert not starts.cache.exists()


@pytest.mark.parametrize("options", [{"debug": True}, {"dot_dir": "pictures"}])
def test_plans_for_debugging_are_not_cached(
    starts: Starts, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    starts(model, **options)
    assert starts.plans() == []


def test_weights_in_the_model_file_are_not_stored_again(starts: Starts, model: Path) -> None:
    starts(model, valid_places=["host"])
    (entry,) = starts.plans()
    assert entry.size < 0.5 * (model / "inference.pdiparams").stat().st_size
