"""Placement: which ops become regions, and the results of models with regions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.plugin.device import Settings
from tests.lite.runtime.regions.on_fake import (
    AFFINE,
    CONVNET,
    X,
    check_affine,
    check_net,
    fake_predictor,
    host_result,
    image,
)
from tests.support.fake_device import fake_device
from tests.support.log_records import warnings_in
from tests.support.small_programs import affine_reference


def test_a_fully_supported_model_is_one_region(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        predictor = fake_predictor(model, fallback="error")
        for _ in range(2):
            outputs = predictor.run([X])
            np.testing.assert_array_equal(outputs["y"], affine_reference(X))
            np.testing.assert_array_equal(outputs["twice"], 2 * affine_reference(X))
        report = predictor.report()
    assert (faults.compiled, faults.runs) == (1, 2)
    [region] = report.regions
    assert (region.device, region.inputs, region.outputs) == ("fake", ["x"], ["y", "twice"])
    assert region.ops == ["xw", "sum", "y", "twice"]
    assert (region.state, region.signatures[0].runs, region.signatures[0].host_runs) == ("built", 2, 0)
    assert report.coverage["fake"] == {"ops": 1.0, "macs": 0.0, "bytes": 0.0}
    assert [op.placed_on for op in report.ops] == ["fake"] * 4


def test_there_are_no_regions_without_devices(model: Path) -> None:
    report = lite.create_predictor(lite.Config(model)).report()
    assert report.regions == []
    assert {op.placed_on for op in report.ops} == {"host"}


def test_unsupported_ops_stay_on_the_host_with_a_reason(net: Path) -> None:
    with fake_device("conv2d", "reduce_mean") as faults:
        predictor = fake_predictor(net, min_subgraph_ops=1)
        x = image()
        check_net(predictor, net, x)
        report = predictor.report()
    assert [region.ops for region in report.regions] == [["a"], ["c", "d"]]
    assert faults.compiled == 2
    declined = {op.name: op.why_not for op in report.ops if op.placed_on == "host"}
    assert declined == {
        "b": {"fake": "fake has no bridge for relu"},
        "y": {"fake": "fake has no bridge for matmul_v2"},
    }


def test_small_regions_stay_on_the_host(net: Path) -> None:
    with fake_device("conv2d") as faults:
        predictor = fake_predictor(net)
        x = image()
        np.testing.assert_array_equal(predictor.run([x])["y"], host_result(net, x))
        report = predictor.report()
    assert (faults.compiled, report.regions) == (0, [])
    assert [(device, count) for device, count, _ in report.pruned] == [("fake", 1), ("fake", 1)]


def test_rules_without_a_match_are_a_warning(net: Path, caplog: pytest.LogCaptureFixture) -> None:
    with fake_device(*CONVNET):
        report = fake_predictor(net, partition_rules="softmax\nrelu -> fake").report()
    [warning] = warnings_in(caplog)
    assert report.warnings == [warning]
    assert "'softmax' matches no op" in warning


def test_rules_with_an_unknown_device_are_refused(net: Path) -> None:
    with fake_device(*CONVNET), pytest.raises(lite.ConfigError, match="did you mean 'fake'"):
        fake_predictor(net, partition_rules="relu -> fade")


def test_outputs_are_written_to_the_callers_arrays(model: Path) -> None:
    with fake_device(*AFFINE):
        output = np.zeros((2, 4), np.float32)
        outputs = fake_predictor(model).run([X], outputs={"twice": output})
    assert outputs["twice"] is output
    np.testing.assert_array_equal(output, 2 * affine_reference(X))


def test_a_part_of_a_model_uses_the_same_device_models(net: Path) -> None:
    with fake_device("conv2d", "relu") as faults:
        predictor = fake_predictor(net)
        x = image()
        predictor.run([x])
        compiled = faults.compiled
        [inner] = predictor.run_part({"x": x}, [predictor.report().regions[0].outputs[0]]).values()
        assert faults.compiled == compiled
    assert inner.shape == (1, 32, 6, 6)


def test_a_saved_program_with_regions_runs_without_devices(model: Path, tmp_path: Path) -> None:
    with fake_device("elementwise_mul", "elementwise_add"):
        program = fake_predictor(model).optimized_program()
    assert "subgraph" in [op.type for op in program.blocks[0].ops]
    lite.save_program(program, tmp_path / "saved")
    outputs = lite.create_predictor(lite.Config(tmp_path / "saved")).run([X])
    np.testing.assert_array_equal(outputs["y"], affine_reference(X))


def test_profiles_and_statistics_name_the_device_of_a_region(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        predictor = fake_predictor(model, fallback="error")
        [row] = predictor.profile([X], runs=1).ops
        assert (row.op, row.place, row.calls) == ("subgraph", "fake/any/any", 1)
        faults.result = lambda array: array * np.float32(np.nan)
        assert (
            "subgraph -> y on fake/any/any, is the first to produce NaN or Inf"
            in predictor.statistics([X]).sentence
        )


def test_a_device_that_a_pass_names_gets_the_settings_of_the_config(
    model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options: dict[str, Any] = {"passes": ["subgraph_pass{device=fake{version=two}}"], "precision": "strict"}
    with fake_device(*AFFINE) as faults:
        predictor = lite.create_predictor(
            lite.Config(model, threads=2, fallback="error", cache_dir=model / "c", **options)
        )
        check_affine(predictor)
        [engine] = [engine for engine in predictor._state.engines if engine is not None]
        assert engine.region.device.settings == Settings(2, "strict")
        assert engine.settings.cache is not None
        assert (engine.settings.cache.specs, faults.runs) == ({"fake": "fake{version=two}"}, 1)
        faults.missing = "no driver"
        missing = lite.create_predictor(lite.Config(model, **options))
        check_affine(missing)
        with pytest.raises(lite.CompileError, match="device fake cannot be used: no driver"):
            lite.create_predictor(lite.Config(model, fallback="error", **options))
    assert warnings_in(caplog) == missing.report().warnings == ["device fake cannot be used: no driver"]
