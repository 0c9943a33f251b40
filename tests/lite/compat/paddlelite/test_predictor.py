"""Predictors: handles, runs and saved models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.compat.paddlelite import (
    CxxConfig,
    CxxPredictor,
    LightPredictor,
    MobileConfig,
    create_paddle_predictor,
)
from lite.errors import ConfigError, InputError
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS


def predictor_of(folder: str | Path) -> CxxPredictor:
    config = CxxConfig()
    config.set_model_dir(str(folder))
    return create_paddle_predictor(config)


def test_handles_are_found_by_index_and_name(tmp_path: Path) -> None:
    predictor = predictor_of(models.save_two_inputs(tmp_path / "two"))
    assert predictor.get_input_names() == ["a", "b"]
    assert predictor.get_output_names() == ["y"]
    assert predictor.get_input(1) is predictor.get_input_by_name("b")
    assert predictor.get_output(0) is predictor.get_output_by_name("y")

    predictor.get_input(0).from_numpy(np.array([5, 7], np.float32))
    predictor.get_input(1).from_numpy(np.array([3, 4], np.float32))
    predictor.run()
    assert predictor.get_output(0).float_data() == [2.0, 3.0]


def test_a_wrong_index_or_name_is_refused(model: str) -> None:
    predictor = predictor_of(model)
    with pytest.raises(InputError, match="1 inputs, numbered from 0; got number 1"):
        predictor.get_input(1)
    with pytest.raises(InputError, match="no output 'z'"):
        predictor.get_output_by_name("z")


def test_the_type_of_config_decides_the_type_of_predictor(model: str) -> None:
    mobile = MobileConfig()
    mobile.set_model_from_file(model)
    assert type(create_paddle_predictor(mobile)) is LightPredictor
    assert type(predictor_of(model)) is CxxPredictor
    with pytest.raises(ConfigError, match="expected a CxxConfig or a MobileConfig, got str"):
        create_paddle_predictor(model)  # type: ignore[call-overload]


def test_a_predictor_has_the_version_of_the_api(model: str) -> None:
    assert predictor_of(model).get_version() == f"v2.13 (litebridge {lite.__version__})"


def test_an_input_without_elements_is_named(model: str) -> None:
    predictor = predictor_of(model)
    with pytest.raises(InputError, match=r"input 'x' of shape \[-1, 3\] has no elements"):
        predictor.run()
    predictor.get_input(0).from_numpy(ROWS)
    predictor.run()
    predictor.get_input(0).resize([4, 3])
    with pytest.raises(InputError, match=r"input 'x' of shape \[4, 3\] has no elements"):
        predictor.run()


def test_both_forms_of_saved_models_load_and_run(model: str, tmp_path: Path) -> None:
    predictor = predictor_of(model)
    predictor.save_optimized_model(str(tmp_path / "one"))
    predictor.save_optimized_pb_model(str(tmp_path / "two"))

    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "inference.pdiparams",
        "inference.pdmodel",
    ]
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["model", "params"]
    config = CxxConfig()
    config.set_model_file(str(tmp_path / "two" / "model"))
    config.set_param_file(str(tmp_path / "two" / "params"))
    for loaded in (predictor_of(tmp_path / "one"), create_paddle_predictor(config)):
        loaded.get_input(0).from_numpy(ROWS)
        loaded.run()
        np.testing.assert_array_equal(loaded.get_output(0).numpy(), models.relu_of_sum(ROWS))


def test_the_saved_model_is_optimised(model: str, tmp_path: Path) -> None:
    predictor_of(model).save_optimized_model(str(tmp_path / "saved"))
    before, after = (
        [op.type for op in lite.load_program(folder).blocks[0].ops] for folder in (model, tmp_path / "saved")
    )
    assert "scale" in before
    assert "scale" not in after


def test_a_second_save_replaces_the_files(model: str, tmp_path: Path) -> None:
    for _ in range(2):
        predictor_of(model).save_optimized_model(str(tmp_path / "saved"))
    assert len(list((tmp_path / "saved").iterdir())) == 2


def test_a_folder_with_another_model_is_refused(model: str, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in Path(model).iterdir()}
    for target in (model, f"{model}/../relu_of_sum/"):
        with pytest.raises(ConfigError, match="this folder contains a model"):
            predictor_of(model).save_optimized_model(target)
        with pytest.raises(ConfigError, match="this folder contains a model"):
            predictor_of(f"{model}/inference.pdmodel").save_optimized_pb_model(target)
    assert {path: path.read_bytes() for path in Path(model).iterdir()} == before

    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__model__").touch()
    with pytest.raises(ConfigError, match="this folder contains a model"):
        predictor_of(model).save_optimized_model(str(tmp_path / "other"))


def test_a_model_from_memory_can_be_saved(model: str, tmp_path: Path) -> None:
    program, params = (Path(model, f"inference.{end}").read_bytes() for end in ("pdmodel", "pdiparams"))
    config = CxxConfig()
    config.set_model_buffer(program, len(program), params, len(params))
    create_paddle_predictor(config).save_optimized_model(str(tmp_path / "saved"))
    assert (tmp_path / "saved" / "inference.pdmodel").is_file()
