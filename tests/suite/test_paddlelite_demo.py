"""Programs written for Paddle-Lite's Python API, on the reference models."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.compat.paddlelite import (
    CxxConfig,
    DataLayoutType,
    LightPredictor,
    MobileConfig,
    Place,
    PowerMode,
    PrecisionType,
    TargetType,
    create_paddle_predictor,
)
from lite.compat.paddlelite.environment import warn_ignored
from tests.support.reference_models import (
    ReferenceModel,
    difference,
    each_model,
    reference_model,
)

each_classifier = pytest.mark.parametrize("name", ["separable_classifier", "mobilenet_v1_x0_25"])
"""Models with one input and one output."""

X86 = Place(TargetType.X86, PrecisionType.FP32)


def run(predictor: LightPredictor, model: ReferenceModel) -> str:
    """The first difference from the recorded outputs, or an empty string."""
    for name, array in model.inputs.items():
        predictor.get_input_by_name(name).from_numpy(array)
    predictor.run()
    names = predictor.get_output_names()
    return difference(
        {name: predictor.get_output(index).numpy() for index, name in enumerate(names)}, model.outputs
    )


@each_classifier
def test_full_and_light_api_give_the_same_results(name: str, tmp_path: Path) -> None:
    """Configure, run, save the optimised model, run that one with the light API."""
    model = reference_model(name)
    (image,), (scores,) = model.inputs.values(), model.outputs.values()

    config = CxxConfig()
    config.set_model_dir(str(model.path))
    config.set_valid_places([X86, Place(TargetType.Host, PrecisionType.FP32)])
    config.set_threads(1)
    config.set_power_mode(PowerMode.LITE_POWER_NO_BIND)
    predictor = create_paddle_predictor(config)
    input_tensor = predictor.get_input(0)
    input_tensor.from_numpy(image)
    predictor.run()
    output_tensor = predictor.get_output(0)
    assert output_tensor.shape() == list(scores.shape)
    assert difference({"scores": output_tensor.numpy()}, {"scores": scores}) == ""
    predictor.save_optimized_model(str(tmp_path / name))

    light = MobileConfig()
    light.set_model_from_file(str(tmp_path / f"{name}.nb"))
    light_predictor = create_paddle_predictor(light)
    input_tensor = light_predictor.get_input(0)
    input_tensor.resize(list(image.shape))
    input_tensor.set_float_data(image.ravel().tolist())
    light_predictor.run()
    assert light_predictor.get_output(0).float_data() == output_tensor.float_data()


@each_classifier
def test_other_hardware_gives_warnings_and_the_same_results(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    warn_ignored.reset()
    model = reference_model(name)
    config = CxxConfig()
    config.set_model_file(str(model.path / "inference.pdmodel"))
    config.set_param_file(str(model.path / "inference.pdiparams"))
    config.set_valid_places(
        [
            Place(TargetType.OpenCL, PrecisionType.FP16, DataLayoutType.ImageDefault),
            Place(TargetType.NNAdapter, PrecisionType.FP32),
            X86,
            Place(TargetType.Host, PrecisionType.FP32),
        ]
    )
    config.set_nnadapter_device_names(["a_missing_device"])
    for _ in range(2):
        assert run(create_paddle_predictor(config), model) == ""
    assert sorted(record.levelname for record in caplog.records) == ["WARNING", "WARNING"]


@each_model
def test_saved_optimised_models_are_equal(model: ReferenceModel, tmp_path: Path) -> None:
    config = CxxConfig()
    config.set_model_dir(str(model.path))
    config.set_valid_places([X86])
    predictor = create_paddle_predictor(config)
    assert run(predictor, model) == ""
    predictor.save_optimized_model(str(tmp_path / "optimised"))
    predictor.save_optimized_pb_model(str(tmp_path / "protobuf"))

    light = MobileConfig()
    light.set_model_from_file(str(tmp_path / "optimised.nb"))
    full = CxxConfig()
    full.set_model_dir(str(tmp_path / "protobuf"))
    for loaded in (create_paddle_predictor(light), create_paddle_predictor(full)):
        assert loaded.get_input_names() == predictor.get_input_names()
        assert loaded.get_output_names() == predictor.get_output_names()
        assert run(loaded, model) == ""
