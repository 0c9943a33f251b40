"""The PIR models beside this checkout equal Paddle on every target and device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.compat import paddle_inference
from lite.ir.types import Array
from tests.support.data_folders import SHARED
from tests.support.device_availability import require
from tests.support.reference_models import ReferenceModel, difference, reference_models

FOLDER = SHARED / "models" / "pir"

TOLERANCE = 1e-3
"""Largest difference on a device, relative to the largest value of an output."""

ROUNDING = {("openvino", "attr_zoo"): "fetch_name_3"}
"""Outputs that are rounding errors of float16, which OpenVINO computes in float32."""

MODELS = reference_models(FOLDER)

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference models in {FOLDER.name}/")
each_model = pytest.mark.parametrize("model", MODELS, ids=[model.name for model in MODELS])


def in_batches(model: ReferenceModel, arrays: dict[str, Array], count: int) -> dict[str, Array]:
    """The arrays repeated along axis 0."""
    return {name: array.repeat(count, 0) for name, array in arrays.items()}


@each_model
@pytest.mark.parametrize("target", ["host", "cpu"])
@pytest.mark.parametrize("passes", [None, []], ids=["all", "none"])
def test_outputs_equal_paddle(model: ReferenceModel, target: str, passes: list[str] | None) -> None:
    if target == "cpu":
        pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    config = lite.Config(model.path, passes=passes, debug=True, valid_places=[target], precision="strict")
    predictor = lite.create_predictor(config)
    for _ in range(2):
        assert difference(predictor.run(model.inputs), model.outputs) == ""


@each_model
@pytest.mark.parametrize("device", ["openvino", "onnxruntime"])
def test_outputs_on_devices_equal_paddle(model: ReferenceModel, device: str) -> None:
    require(device)
    config = lite.Config(model.path, devices=[device], fallback="error", debug=True)
    predictor = lite.create_predictor(config)
    expected = dict(model.outputs)
    rounding = expected.pop(ROUNDING.get((device, model.name), ""), None)
    for _ in range(2):
        outputs = predictor.run(model.inputs)
        if rounding is not None:
            np.testing.assert_allclose(outputs.pop(ROUNDING[device, model.name]), rounding, atol=1e-3)
        assert difference(outputs, expected, TOLERANCE) == ""
    assert {region.state for region in predictor.report().regions} <= {"built"}


@pytest.mark.parametrize("name", ["mobilenet_se", "transformer_encoder"])
def test_another_batch_size_gives_the_same_rows(name: str) -> None:
    model = next(model for model in MODELS if model.name == name)
    predictor = lite.create_predictor(lite.Config(model.path))
    outputs = predictor.run(in_batches(model, model.inputs, 3))
    assert difference(outputs, in_batches(model, model.outputs, 3)) == ""


@each_model
def test_a_saved_classic_program_gives_the_same_outputs(model: ReferenceModel, tmp_path: Path) -> None:
    lite.save_program(lite.load_program(model.path), tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path))
    assert difference(predictor.run(model.inputs), model.outputs) == ""


@each_model
def test_paddle_inference_reads_files_and_directories(model: ReferenceModel) -> None:
    program, params = model.path / "inference.json", model.path / "inference.pdiparams"
    for config in (
        paddle_inference.Config(str(program), str(params)),
        paddle_inference.Config(str(model.path)),
    ):
        predictor = paddle_inference.create_predictor(config)
        assert predictor.get_input_names() == list(model.inputs)
        for name, array in model.inputs.items():
            predictor.get_input_handle(name).copy_from_cpu(array)
        predictor.run()
        names = predictor.get_output_names()
        outputs = {name: predictor.get_output_handle(name).copy_to_cpu() for name in names}
        assert difference(outputs, model.outputs) == ""
