"""Quantised ONNX models equal ONNX Runtime without optimisation, in every configuration.

QDQ and QOperator models are equal to the last bit with ``precision="strict"``.  Dynamic ones quantise by
ranges that depend on the order of float sums.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.plugin.device.short_sums import has_short_sums
from tests.support.data_folders import SHARED
from tests.support.device_availability import require

FOLDER = SHARED / "models" / "onnx_quant"
MODELS = sorted(path.name for path in FOLDER.glob("*") if (path / "reference.npz").is_file())
QUANTISED = [name for name in MODELS if not name.startswith("float")]

pytestmark = pytest.mark.skipif(not MODELS, reason=f"no models in {FOLDER.name}/")

ON_DEVICES = 0.03
"""Largest difference on a device, relative to the largest value of the outputs.

A device adds floats in another order, so a value near a half may be quantised to the next number, as by
ONNX Runtime with optimisation.  In the models here one step of the result is 0.01 of its largest value.
"""


def _reference(name: str) -> tuple[dict[str, Array], Array]:
    """The inputs of a model, and its output by ONNX Runtime."""
    with np.load(FOLDER / name / "reference.npz") as arrays:
        inputs = {key[3:]: arrays[key] for key in arrays if key.startswith("in:")}
        return inputs, arrays["out:y"]


def _check(name: str, outputs: dict[str, Array], expected: Array) -> None:
    (result,) = outputs.values()
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    if name.startswith(("qdq", "qoperator")):
        np.testing.assert_array_equal(result, expected)
    else:
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("target", ["host", "cpu"])
@pytest.mark.parametrize("passes", [None, []], ids=["all", "none"])
def test_equal_to_onnx_runtime(name: str, target: str, passes: list[str] | None) -> None:
    if target == "cpu":
        pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    inputs, expected = _reference(name)
    config = lite.Config(
        FOLDER / name / "model.onnx", precision="strict", valid_places=[target], passes=passes, debug=True
    )
    predictor = lite.create_predictor(config)

    for _ in range(2):
        _check(name, predictor.run(inputs), expected)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("format", ["paddle", "onnx"])
def test_equal_after_save_and_load(name: str, format: str, tmp_path: Path) -> None:
    inputs, expected = _reference(name)
    lite.save_program(lite.load_program(FOLDER / name / "model.onnx"), tmp_path, format=format)
    predictor = lite.create_predictor(lite.Config(tmp_path, precision="strict"))

    _check(name, predictor.run(inputs), expected)


@pytest.mark.parametrize("name", QUANTISED)
@pytest.mark.parametrize("level", ["ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"])
def test_models_that_onnx_runtime_optimised(name: str, level: str, tmp_path: Path) -> None:
    """ONNX Runtime writes its own ops, such as QLinearAdd, QGemm and convolutions with the channels last."""
    runtime = pytest.importorskip("onnxruntime")
    inputs, _ = _reference(name)
    options = runtime.SessionOptions()
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, level)
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    options.log_severity_level = 4
    if not name.startswith("qoperator_s8s8"):
        # Unsigned weights: with signed ones, sums saturate on x86 processors without VNNI.
        options.add_session_config_entry("session.x64quantprecision", "1")
    session = runtime.InferenceSession(
        str(FOLDER / name / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, inputs)

    config = lite.Config(tmp_path / "optimised.onnx", precision="strict")
    _check(name, lite.create_predictor(config).run(inputs), expected)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("device", ["openvino", "onnxruntime"])
def test_devices_agree(name: str, device: str) -> None:
    require(device)
    inputs, expected = _reference(name)
    config = lite.Config(FOLDER / name / "model.onnx", devices=[device], fallback="error", debug=True)
    predictor = lite.create_predictor(config)
    (result,) = predictor.run(inputs).values()

    regions = predictor.report().regions
    # Without VNNI, ONNX Runtime may saturate the sums of integer convolutions, so the host computes some.
    is_divided = name.startswith(("qoperator_u8s8", "dynamic")) and has_short_sums()
    is_whole = device == "onnxruntime" and not is_divided
    assert len(regions) == 1 if is_whole else regions
    tolerance = ON_DEVICES if name in QUANTISED else 1e-3
    assert np.abs(result - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("name", QUANTISED)
def test_the_device_onnxruntime_is_exact_where_strict(name: str) -> None:
    require("onnxruntime")
    inputs, expected = _reference(name)
    path = FOLDER / name / "model.onnx"
    config = lite.Config(path, devices=["onnxruntime"], fallback="error", precision="strict")

    _check(name, lite.create_predictor(config).run(inputs), expected)
