"""Models of regions by input signature, and one for all shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import DType
from tests.lite.runtime.regions.on_fake import CONVNET, check_net, fake_predictor, image
from tests.support.fake_device import fake_device
from tests.support.log_records import warnings_in
from tests.support.small_programs import make_program


def test_after_max_signatures_models_one_model_is_built_for_all_shapes(net: Path) -> None:
    with fake_device(*CONVNET, dynamic=True) as faults:
        predictor = fake_predictor(net, max_signatures=2, fallback="error")
        for size in (4, 5, 6, 7, 4, 6):
            check_net(predictor, net, image(size))
        states = [each.state for each in predictor.report().regions[0].signatures]
    assert faults.compiled == 3
    assert states == ["built", "built", "dynamic", "dynamic"]


def test_without_dynamic_shapes_the_host_runs_further_signatures(
    net: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with fake_device(*CONVNET) as faults:
        predictor = fake_predictor(net, max_signatures=1)
        for size in (4, 5, 5):
            check_net(predictor, net, image(size))
    assert (faults.compiled, faults.runs) == (1, 1)
    [warning] = warnings_in(caplog)
    assert "max_signatures" in warning


def test_prepare_builds_the_models_and_reports_progress(net: Path) -> None:
    progress: list[str] = []
    with fake_device(*CONVNET) as faults:
        predictor = fake_predictor(net)
        predictor.prepare({"x": (1, 3, 6, 6)}, progress.append)
        assert (faults.compiled, faults.runs) == (1, 0)
        predictor.run([image()])
        assert (faults.compiled, faults.runs) == (1, 1)
    assert progress == ["building region 0 on fake: 5 ops"]


def test_known_elements_of_a_shape_are_part_of_the_signature(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 2))},
        {},
        [
            ("shape", {"Input": ["x"]}, {"Out": ["size"]}, {}),
            ("fill_constant", {"ShapeTensor": ["size"]}, {"Out": ["y"]}, {"dtype": 5, "value": 1.5}),
        ],
        ["y"],
    )
    lite.save_program(program, tmp_path / "filled")
    with fake_device("fill_constant") as faults:
        predictor = fake_predictor(tmp_path / "filled", min_subgraph_ops=1, fallback="error")
        for rows in (3, 1, 3):
            y = predictor.run([np.zeros((rows, 2), np.float32)])["y"]
            np.testing.assert_array_equal(y, np.full((rows, 2), 1.5, np.float32))
        signatures = [each.signature for each in predictor.report().regions[0].signatures]
    assert faults.compiled == 2
    assert signatures == ["int32[2] = [3, 2]", "int32[2] = [1, 2]"]


def test_a_dynamic_model_that_fails_is_built_once(net: Path, caplog: pytest.LogCaptureFixture) -> None:
    with fake_device(*CONVNET, dynamic=True) as faults:
        predictor = fake_predictor(net, max_signatures=1)
        predictor.run([image(4)])
        faults.compile, faults.names_op = frozenset({"relu"}), False
        for size in (5, 6, 7, 8, 5):
            check_net(predictor, net, image(size))
    assert faults.compiled == 2
    assert all("no circuit for relu" in text for text in warnings_in(caplog))


def test_further_signatures_are_one_warning_and_share_one_host_plan(
    net: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with fake_device(*CONVNET):
        predictor = fake_predictor(net, max_signatures=1)
        for size in (4, 5, 6, 7):
            predictor.run([image(size)])
    [warning] = warnings_in(caplog)
    assert warning.endswith("device takes no dynamic shapes; Config(max_signatures=…) allows more")
    [engine] = [engine for engine in predictor._state.engines if engine is not None]
    assert len({id(bound.plan_host()) for bound in engine.bound[1:]}) == 1
