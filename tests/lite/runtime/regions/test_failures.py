"""What fails, at each place where a device can: the host answers, or an error is raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.plugin.device import Limits
from tests.fake_device import fake_device
from tests.lite.runtime.regions.on_fake import (
    AFFINE,
    CONVNET,
    check_affine,
    check_net,
    host_result,
    image,
    predictor,
)
from tests.lite.runtime.regions.planted_faults import (
    FAULTS,
    first_run,
    missing,
    nothing,
    wrong_dtype,
    wrong_shape,
)
from tests.logged import warnings_in


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_fails_the_host_answers_and_says_so_once(
    net: Path, caplog: pytest.LogCaptureFixture, fault: Any
) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        fault(faults)
        made = predictor(net)
        for _ in range(3):
            check_net(made, net, x)
        compiled = faults.compiled
        made.clone().run([x])
        assert faults.compiled == compiled
        report = made.report()
    assert len(warnings_in(caplog)) == 1
    if fault is missing:
        assert report.warnings == ["device fake cannot be used: the driver is not installed"]
    else:
        assert report.regions[0].state in ("host", "split")
        assert report.regions[0].reason


@pytest.mark.parametrize("fault", FAULTS)
def test_strictly_each_failure_is_an_error(net: Path, fault: Any) -> None:
    runs = fault in (first_run, wrong_shape, wrong_dtype, nothing)
    with fake_device(*CONVNET) as faults:
        fault(faults)
        for _ in range(2):
            with pytest.raises(lite.ExecutionError if runs else lite.CompileError, match="fake"):
                predictor(net, fallback="error").run([image()])


def test_a_device_that_fails_later_is_left_for_good(net: Path, caplog: pytest.LogCaptureFixture) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        faults.run = 3
        made = predictor(net)
        for _ in range(5):
            check_net(made, net, x)
        [region] = made.report().regions
    assert faults.runs == 3
    assert (region.state, region.signatures[0].runs, region.signatures[0].host_runs) == ("host", 2, 3)
    [warning] = warnings_in(caplog)
    assert "the chip is on fire" in warning


def test_an_error_is_the_same_each_time_and_does_not_grow(net: Path) -> None:
    with fake_device(*CONVNET) as faults:
        faults.compile = frozenset({"relu"})
        made = predictor(net, fallback="error")
        depths = []
        for _ in range(4):
            with pytest.raises(CompileError, match="no circuit for relu") as caught:
                made.run([image()])
            depths.append(len(caught.traceback))
    assert faults.compiled == 1
    assert depths[1] == depths[3]


def test_a_device_that_hangs_in_its_own_process_is_ended(net: Path) -> None:
    x = image()
    config = lite.Config(net, devices=["sim_npu{slow_run=60}"], isolate=True, time_limit=2)
    made = lite.create_predictor(config)
    np.testing.assert_allclose(made.run([x])["y"], host_result(net, x), rtol=1e-3, atol=1e-4)
    [region] = made.report().regions
    assert region.state == "host"


@pytest.mark.parametrize("kind", ["running", "compiling", "both"])
def test_a_dead_chip_is_one_warning_whatever_the_number_of_regions(
    model: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """The first failure of each kind is said; how many there are is in the report."""
    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        if kind != "running":
            faults.compile = frozenset(AFFINE if kind == "compiling" else AFFINE[:2])
        if kind != "compiling":
            faults.run = 1
        for _ in range(2):
            made = predictor(model, min_subgraph_ops=1)
            for clone in (made, made.clone()):
                check_affine(clone)
            report = made.report()
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
        made = predictor(model)
        check_affine(made)
        report = made.report()
    assert (report.fallbacks, report.to_dict()["fallbacks"]) == ({}, {})
    assert "the host answers" not in str(report)
