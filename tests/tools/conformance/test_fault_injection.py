"""Faults are injected into a device that runs in an environment of its own, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.tools.conformance.fault_injection import Fault, inject
from tests.support.fake_sdk_device import NAME, registered
from tests.support.fake_sdk_environment import make_environment

X = np.array([[-1, 2, 0.5], [3, -4, 0]], np.float32)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """``tanh(relu(x))``, with the environment of the device."""
    (tmp_path / "data").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    graph = parse_graph(
        "graph main(%x: float32[2,3]) {\n  %y = relu(X=%x)\n  %z = tanh(X=%y)\n  return %z\n}\n"
    )
    lite.save_program(lower_graph(graph), tmp_path / "model")
    make_environment()
    with registered():
        yield tmp_path / "model"


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        (Fault(), "built", ""),
        (Fault(run=1), "host", "the conformance kit made run() fail"),
        (Fault(refuses_region=True), "split", "the conformance kit made the device refuse the region"),
    ],
)
def test_a_fault_is_a_failure_of_the_device(model: Path, fault: Fault, state: str, reason: str) -> None:
    with inject(NAME, fault):
        predictor = lite.create_predictor(lite.Config(model, devices=[f"{NAME}{{when='', does=''}}"]))
        [result] = predictor.run({"x": X}).values()
    np.testing.assert_allclose(result, np.tanh(np.maximum(X, 0)), rtol=1e-6)
    [region] = predictor.report().regions
    assert region.state == state
    assert reason in region.reason
