"""The device with a toolkit that records its steps, and with the real one where it is installed."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.bridges.rknn import simulated
from lite.bridges.rknn.blob import unpack
from lite.bridges.rknn.device import Options, Rknn
from lite.errors import CompileError, ExecutionError
from lite.plugin.device import Device, Settings
from lite.session.devices import open_in_its_process
from tests.bridges.arrays import assert_close
from tests.bridges.region import check, compiled, on_host
from tests.bridges.rknn import toolkit
from tests.support.device_availability import require

TEXT = """
graph main(%x: float32[1,2,3,3], %z: float32[2,5]) {
  %s = const float32[2] [1.0, 2.0]
  %w = const float32[2,2,1,1] [1.0, -1.0, 0.5, 2.0]
  Output=%c = conv2d(Input=%x, Filter=%w) {}
  Y=%n = batch_norm(X=%c, Scale=%s, Bias=%s, Mean=%s, Variance=%s) {is_test=true}
  %y = gelu(X=%n)
  %p = softmax(X=%z) {axis=1}
  return %y, %p
}
"""
X = np.random.default_rng(0).standard_normal((1, 2, 3, 3)).astype(np.float32)
Z = np.random.default_rng(1).standard_normal((2, 5)).astype(np.float32)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[toolkit.Rknn]]:
    """The recording toolkit, without faults."""
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(toolkit.Rknn, "codes", {})
    monkeypatch.setattr(toolkit.Rknn, "steps", [])
    module = types.SimpleNamespace(RKNN=toolkit.Rknn)
    monkeypatch.setattr(simulated, "importlib", types.SimpleNamespace(import_module=lambda _: module))
    yield toolkit.Rknn
    assert list(tmp_path.iterdir()) == []


def rknn() -> Rknn:
    return Rknn(Options(chip="rk3576"), Settings())


def test_a_region_is_built_and_run(recorded: type[toolkit.Rknn]) -> None:
    check(rknn(), TEXT, X, Z)
    steps = ["config rk3576", "load_onnx", "build", "init_runtime", "nchw undefined"]
    assert recorded.steps == steps


def test_a_stored_model_is_built_again_from_its_onnx_model(recorded: type[toolkit.Rknn]) -> None:
    blob = compiled(rknn(), TEXT).serialize()
    assert blob is not None
    assert unpack(blob).rknn == b"rknn"
    recorded.steps.clear()
    outputs = [np.empty((1, 2, 3, 3), np.float32), np.empty((2, 5), np.float32)]
    results = rknn().load(blob).run([X, Z], outputs)
    assert [result is output for result, output in zip(results, outputs, strict=True)] == [True, True]
    for result, expected in zip(results, on_host(TEXT, [X, Z]), strict=True):
        assert_close(result, expected, 1e-5)
    assert recorded.steps[:4] == ["config rk3576", "load_onnx", "build", "init_runtime"]


def test_the_files_of_a_build_are_the_boards_and_the_onnx_model(recorded: type[toolkit.Rknn]) -> None:
    model = compiled(rknn(), TEXT)
    stored = unpack(model.serialize() or b"")
    assert model.files() == {"region.rknn": b"rknn", "region.onnx": stored.onnx}


@pytest.mark.parametrize("step", ["load_onnx", "build", "init_runtime"])
def test_a_return_code_is_an_error(recorded: type[toolkit.Rknn], step: str) -> None:
    recorded.codes[step] = -1
    with pytest.raises(CompileError, match=f"^rknn: {step} returned -1$"):
        compiled(rknn(), TEXT)
    assert recorded.steps[-1] == "release"


def test_results_of_another_shape_are_an_error(
    recorded: type[toolkit.Rknn], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = compiled(rknn(), TEXT)
    monkeypatch.setattr(recorded, "inference", lambda *_, **__: [X, X])
    with pytest.raises(ExecutionError, match=r"gave \[1, 2, 3, 3\], expected \[2, 5\]"):
        model.run([X, Z], [None, None])
    monkeypatch.setattr(recorded, "inference", lambda *_, **__: None)
    with pytest.raises(ExecutionError, match="the simulator returned None"):
        model.run([X, Z], [None, None])


@pytest.fixture(scope="module")
def sdk() -> Device[Any]:
    """The device with the real toolkit."""
    require("rknn")
    return open_in_its_process("rknn")


def test_the_simulator_equals_the_host(sdk: Device[Any]) -> None:
    check(sdk, TEXT, X, Z, tolerance=1e-2)


def test_the_other_chip(sdk: Device[Any]) -> None:
    check(open_in_its_process("rknn{chip=rk3576}"), TEXT, X, Z, tolerance=1e-2)


def test_the_rknn_file_is_kept_and_another_worker_builds_the_model(sdk: Device[Any]) -> None:
    model = compiled(sdk, TEXT)
    blob = model.serialize()
    assert blob is not None
    assert unpack(blob).rknn[:4] == model.files()["region.rknn"][:4] == b"RKNN"
    results = open_in_its_process("rknn").load(blob).run([X, Z], [None, None])
    for result, expected in zip(results, on_host(TEXT, [X, Z]), strict=True):
        assert_close(result, expected, 1e-2)
