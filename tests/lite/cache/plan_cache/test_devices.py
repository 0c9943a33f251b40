"""Cached plans with regions of devices."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

import lite
from tests.lite.cache.plan_cache.starts import IMAGE, Starts


def test_a_new_version_or_the_loss_of_a_device_makes_a_new_plan(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from lite.bridges.sim_npu.device import SimNpu

    starts(model, devices=["sim_npu"])
    with monkeypatch.context() as patch:
        patch.setattr(SimNpu, "version", lambda _: "99.0")
        starts(model, devices=["sim_npu"])
    assert starts.optimised == 2
    with monkeypatch.context() as patch:
        patch.setattr(SimNpu, "available", lambda _: "it was unplugged")
        for _ in range(2):
            caplog.clear()
            predictor = starts(model, devices=["sim_npu"])
            assert [record.getMessage() for record in caplog.records] == [
                "device sim_npu cannot be used: it was unplugged"
            ]
            assert predictor.report().warnings == ["device sim_npu cannot be used: it was unplugged"]
        with pytest.raises(lite.CompileError, match="unplugged"):
            starts(model, devices=["sim_npu"], fallback="error")
    assert starts.optimised == 3


def test_each_order_of_devices_has_its_own_plan(starts: Starts, model: Path) -> None:
    for _ in range(2):
        for devices in (["sim_npu", "onnxruntime"], ["onnxruntime", "sim_npu"]):
            starts(model, devices=devices)
    assert starts.optimised == 2


def test_a_rule_without_a_match_is_a_warning_at_each_start(
    starts: Starts, model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        caplog.clear()
        starts(model, devices=["sim_npu"], partition_rules="tanh")
        assert [record.getMessage() for record in caplog.records] == [
            "partition rules, line 1: 'tanh' matches no op"
        ]
    assert starts.optimised == 1


@pytest.mark.parametrize("options", ["", "memory=true", "max_ops=3", "max_ops=3, memory=true"])
def test_a_cached_plan_loads_the_models_of_its_regions(starts: Starts, model: Path, options: str) -> None:
    devices = [f"sim_npu{{{options}}}"]
    first = starts(model, devices=devices, fallback="error")
    expected = first.run([IMAGE])["y"]
    second = starts(model, devices=devices, fallback="error")
    assert second.report().to_dict()["ops"] == first.report().to_dict()["ops"]
    np.testing.assert_array_equal(second.run([IMAGE])["y"], expected)
    assert starts.optimised == 1
    assert {region.state for region in second.report().regions} == {"loaded"}
    plain = lite.create_predictor(lite.Config(model, devices=devices)).report().to_dict()
    assert starts(model, devices=devices).report().to_dict() == plain


def test_an_isolated_device_runs_the_same_plan(starts: Starts, model: Path) -> None:
    expected = starts(model, devices=["sim_npu"], fallback="error").run([IMAGE])["y"]
    isolated = starts(model, devices=["sim_npu"], fallback="error", isolate=True)
    np.testing.assert_array_equal(isolated.run([IMAGE])["y"], expected)
    assert starts.optimised == 1


def test_no_plan_is_cached_for_passes_that_open_devices(
    starts: Starts, model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "lite"):
        for _ in range(2):
            predictor = starts(model, passes=["subgraph_pass{device=sim_npu}"])
            assert [region.device for region in predictor.report().regions] == ["sim_npu"]
    assert (starts.optimised, starts.plans()) == (2, [])
    assert "names devices, but the key covers those in Config.devices only" in caplog.text


def test_a_region_of_a_cached_plan_falls_back_to_the_host(starts: Starts, model: Path) -> None:
    expected = lite.create_predictor(lite.Config(model, valid_places=["host"])).run([IMAGE])["y"]
    for _ in range(2):
        predictor = starts(model, devices=["sim_npu{fail_run=1}"], valid_places=["host"])
        np.testing.assert_array_equal(predictor.run([IMAGE])["y"], expected)
    assert starts.optimised == 1
