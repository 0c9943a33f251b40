"""Whole models from cached plans: the results and the report of the first start, bit by bit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.cache import plan_cache
from lite.ir.types import Array
from lite.session import build
from lite.tools.demo.package_models import default_cache
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import reference_models

DEVICES = {"host": {}, "sim_npu": {"devices": ["sim_npu"]}, "strict": {"precision": "strict"}}


@pytest.fixture(autouse=True)
def _old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of tests may be new."""
    monkeypatch.setattr(plan_cache, "CLOCK_TICK_NS", -(10**12))


def check_second_start(
    model: Path, inputs: Mapping[str, Array], cache: Path, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> None:
    """Assert that a second start runs the cached plan, without optimisation, with equal results."""
    plain = lite.create_predictor(lite.Config(model, **options))
    config = lite.Config(model, cache_dir=cache, **options)
    first = lite.create_predictor(config)
    monkeypatch.setattr(build, "optimize", None)
    monkeypatch.setattr(build, "load_program", None)
    second = lite.create_predictor(config)
    assert second.report().to_dict() == plain.report().to_dict()
    expected = first.run(dict(inputs))
    for predictor in (second, second.clone()):
        results = predictor.run(dict(inputs))
        assert list(results) == list(expected)
        for name, array in expected.items():
            assert results[name].dtype == array.dtype
            np.testing.assert_array_equal(results[name], array)


@pytest.mark.parametrize("options", DEVICES.values(), ids=DEVICES)
def test_reference_models_run_from_a_cached_plan(options: dict[str, Any], tmp_path: Path) -> None:
    """With loops and branches, LSTMs, attention and data-dependent shapes."""
    for model in reference_models():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plan_cache, "CLOCK_TICK_NS", -(10**12))
            check_second_start(model.path, model.inputs, tmp_path, patch, **options)


@each_form
@each_twin
def test_ocr_models_run_from_a_cached_plan(
    twin: Twin, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = twin.path(form)
    (name,) = lite.create_predictor(lite.Config(model)).input_names
    check_second_start(model, {name: twin.image(0)}, tmp_path, monkeypatch)


def test_silero_runs_from_a_cached_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ONNX model with branches."""
    model = default_cache() / "silero-vad-6.2.3" / "silero_vad.onnx"
    if not model.is_file():
        pytest.skip("silero-vad is not in the cache that lite.tools.demo.package_models fills")
    inputs: dict[str, Array] = {
        "input": np.random.default_rng(0).standard_normal((1, 576)).astype(np.float32),
        "state": np.zeros((2, 1, 128), np.float32),
        "sr": np.array(16000, np.int64),
    }
    check_second_start(model, inputs, tmp_path, monkeypatch)
