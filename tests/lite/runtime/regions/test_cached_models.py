"""Device models in the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lite.runtime.regions.on_fake import CONVNET, check_net, fake_predictor, image
from tests.lite.runtime.regions.planted_faults import first_run, wrong_shape
from tests.support.fake_device import fake_device
from tests.support.log_records import warnings_in


def test_a_model_is_stored_and_loaded_by_the_next_predictor(net: Path, tmp_path: Path) -> None:
    with fake_device(*CONVNET) as faults:
        for _ in range(2):
            predictor = fake_predictor(net, cache_dir=tmp_path / "cache", fallback="error")
            predictor.run([image()])
        [notes] = predictor.explain_cache().values()
    assert (faults.compiled, faults.loaded) == (1, 1)
    assert list(notes.values()) == ["hit"]
    assert predictor.report().regions[0].state == "loaded"


def test_a_cached_model_that_does_not_load_is_built_again(
    net: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        fake_predictor(net, cache_dir=tmp_path / "cache").run([x])
        faults.load = True
        predictor = fake_predictor(net, cache_dir=tmp_path / "cache", fallback="error")
        check_net(predictor, net, x)
    assert faults.compiled == 2
    [warning] = warnings_in(caplog)
    assert "bad magic" in warning


@pytest.mark.parametrize("fault", [first_run, wrong_shape])
def test_a_cached_model_that_fails_falls_back_to_the_host(net: Path, tmp_path: Path, fault: Any) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        fake_predictor(net, cache_dir=tmp_path / "cache").prepare({"x": x.shape})
        fault(faults)
        predictor = fake_predictor(net, cache_dir=tmp_path / "cache")
        for _ in range(2):
            check_net(predictor, net, x)
        assert faults.loaded == 1
        [region] = predictor.report().regions
    assert (region.state, region.signatures[0].host_runs) == ("host", 2)
