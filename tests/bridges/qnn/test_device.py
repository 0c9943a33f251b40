"""The device with its SDK: results, evidence, stored models and failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.bridges.qnn.device import HtpModel, Qnn, QnnOptions
from lite.errors import CompileError, ConfigError
from lite.plugin.device import Settings
from lite.plugin.device.opening import open_device
from tests.bridges.region import check, compiled, on_device
from tests.support.device_availability import require
from tests.support.reference_models import reference_model

TEXT = """graph main(%x: float32[1,8,4,4]) {
  %h = hard_swish(X=%x)
  %s = softmax(X=%h) {axis=1}
  return %s
}
"""


@pytest.fixture
def device() -> Qnn:
    require("qnn")
    return Qnn(QnnOptions(), Settings())


def image() -> Any:
    return np.linspace(-6, 6, 128, dtype=np.float32).reshape(1, 8, 4, 4)


def test_a_region_equals_the_host_in_float16(device: Qnn) -> None:
    check(device, TEXT, image(), tolerance=device.precisions[0].tolerance)


def test_float32_results_would_be_closer(device: Qnn) -> None:
    """The error shows that the HTP computes in float16, and not the CPU in float32."""
    (got,) = on_device(device, TEXT.replace("softmax(X=%h) {axis=1}", "relu(X=%h)"), [image()])
    expected = np.maximum(image() * np.clip(image() / 6 + 0.5, 0, 1), 0)
    assert 1e-5 < np.abs(got - expected).max() / expected.max() < 1e-2


def test_the_evidence_is_one_context_binary(device: Qnn) -> None:
    evidence = compiled(device, TEXT).evidence()
    assert evidence is not None
    assert (evidence.on_device, evidence.problem()) == (1, "")


def test_a_session_on_the_cpu_is_no_evidence(device: Qnn, monkeypatch: pytest.MonkeyPatch) -> None:
    model = compiled(device, TEXT)
    assert isinstance(model, HtpModel)
    monkeypatch.setattr(model.session, "get_providers", lambda: ["CPUExecutionProvider"])
    assert "the session on CPUExecutionProvider" in model.evidence().problem()


def test_the_file_of_a_build_is_a_context_model(device: Qnn) -> None:
    import onnx

    ((path, content),) = compiled(device, TEXT).files().items()
    assert path == "region.onnx"
    assert [node.op_type for node in onnx.load_model_from_string(content).graph.node] == ["EPContext"]


def test_a_region_that_the_sdk_refuses_is_not_run_on_the_cpu(
    device: Qnn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Qnn, "why_not_nodes", lambda *_: None)
    with pytest.raises(CompileError, match="CPU"):
        compiled(device, "graph main(%x: float32[4]) {\n  %y = erf(X=%x)\n  return %y\n}\n")


def test_a_stored_model_loads_in_a_second_predictor(device: Qnn, tmp_path: Path) -> None:
    model = reference_model("separable_classifier")
    results, states = [], []
    for _ in range(2):
        predictor = lite.create_predictor(
            lite.Config(model.path, devices=["qnn"], fallback="error", cache_dir=tmp_path)
        )
        results.append(predictor.run(model.inputs))
        states.append([region.state for region in predictor.report().regions])
    assert states == [["built"], ["loaded"]]
    for first, second in zip(results[0].values(), results[1].values(), strict=True):
        np.testing.assert_array_equal(first, second)


def test_the_chip_is_part_of_the_version() -> None:
    require("qnn")
    versions = {
        open_device(f"qnn{{soc_model={soc}, htp_arch={arch}}}").version()
        for soc, arch in ((43, 73), (57, 75))
    }
    assert len(versions) == 2


def test_an_unknown_generation_is_an_error() -> None:
    with pytest.raises(ConfigError, match="one of 68, 69, 73, 75, 79, 81"):
        open_device("qnn{htp_arch=1}")
