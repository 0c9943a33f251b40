"""Failures at each place where a device can fail: the host takes over, or an error is raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.plugin.device import Limits
from tests.lite.runtime.regions.on_fake import (
    AFFINE,
    CONVNET,
    check_affine,
    check_net,
    fake_predictor,
    host_result,
    image,
)
from tests.lite.runtime.regions.planted_faults import (
    FAULTS,
    first_run,
    missing,
    nothing,
    wrong_dtype,
    wrong_shape,
)
from tests.support.fake_device import fake_device
from tests.support.log_records import warnings_in


@pytest.mark.parametrize("fault", FAULTS)
def test_after_any_failure_the_host_takes_over_with_one_warning(
    net: Path, caplog: pytest.LogCaptureFixture, fault: Any
) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        fault(faults)
        predictor = fake_predictor(net)
        for _ in range(3):
            check_net(predictor, net, x)
        compiled = faults.compiled
        predictor.clone().run([x])
        assert faults.compiled == compiled
        report = predictor.report()
    assert len(warnings_in(caplog)) == 1
    if fault is missing:
        assert report.warnings == ["device fake cannot be used: the driver is not installed"]
    else:
        assert report.regions[0].state in ("host", "split")
        assert report.regions[0].reason


@pytest.mark.parametrize("fault", FAULTS)
def test_with_fallback_error_each_failure_is_an_error(net: Path, fault: Any) -> None:
    runs = fault in (first_run, wrong_shape, wrong_dtype, nothing)
    with fake_device(*CONVNET) as faults:
        fault(faults)
        for _ in range(2):
            with pytest.raises(lite.ExecutionError if runs else lite.CompileError, match="fake"):
                fake_predictor(net, fallback="error").run([image()])


def test_after_a_failed_run_the_host_runs_the_region_for_good(
    net: Path, caplog: pytest.LogCaptureFixture
) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        faults.run = 3
        predictor = fake_predictor(net)
        for _ in range(5):
            check_net(predictor, net, x)
        [region] = predictor.report().regions
    assert faults.runs == 3
    assert (region.state, region.signatures[0].runs, region.signatures[0].host_runs) == ("host", 2, 3)
    [warning] = warnings_in(caplog)
    assert "the chip is on fire" in warning


def test_a_repeated_error_has_the_same_traceback(net: Path) -> None:
    with fake_device(*CONVNET) as faults:
        faults.compile = frozenset({"relu"})
        predictor = fake_predictor(net, fallback="error")
        depths = []
        for _ in range(4):
            with pytest.raises(CompileError, match="no circuit for relu") as caught:
                predictor.run([image()])
            depths.append(len(caught.traceback))
    assert faults.compiled == 1
    assert depths[1] == depths[3]


def test_an_isolated_device_that_hangs_is_killed(net: Path) -> None:
    x = image()
    config = lite.Config(net, devices=["sim_npu{slow_run=60}"], isolate=True, time_limit=2)
    predictor = lite.create_predictor(config)
    np.testing.assert_allclose(predictor.run([x])["y"], host_result(net, x), rtol=1e-3, atol=1e-4)
    [region] = predictor.report().regions
    assert region.state == "host"


@pytest.mark.parametrize("kind", ["running", "compiling", "both"])
def test_failures_of_one_kind_in_several_regions_are_one_warning(
    model: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """The first failure of each kind is a warning; the report counts all."""
    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        if kind != "running":
            faults.compile = frozenset(AFFINE if kind == "compiling" else AFFINE[:2])
        if kind != "compiling":
            faults.run = 1
        for _ in range(2):
            predictor = fake_predictor(model, min_subgraph_ops=1)
            for clone in (predictor, predictor.clone()):
                check_affine(clone)
            report = predictor.report()
            assert report.fallbacks == report.to_dict()["fallbacks"] == {"fake": 4}
            assert "the host answers for 4 of 4 regions of fake: " in str(report)
    first, *more = warnings_in(caplog)
    runs, builds = "region 2 on fake runs on the host from now on", "region 0 on fake runs on the host for"
    if kind == "both":
        assert [text.startswith((builds, runs)) for text in (first, *more)] == [True] * 4
        assert "no circuit for elementwise_mul" in first
        assert "the chip is on fire" in more[0]
    else:
        assert len(more) == 1
        assert first == more[0]


def test_without_failures_the_report_counts_none(model: Path) -> None:
    with fake_device(*AFFINE):
        predictor = fake_predictor(model)
        check_affine(predictor)
        report = predictor.report()
    assert (report.fallbacks, report.to_dict()["fallbacks"]) == ({}, {})
    assert "the host answers" not in str(report)
