"""MobileConfig: optimised models and naive buffers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite.compat.paddlelite import CxxConfig, MobileConfig, create_paddle_predictor
from lite.errors import ConfigError, ModelParseError
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS, run_on_rows
from tests.model_parser.paddlelite_nb.writer import naive_buffer


@pytest.fixture
def optimised(model: str, tmp_path: Path) -> Path:
    """The folder of a saved optimised model."""
    config = CxxConfig()
    config.set_model_dir(model)
    create_paddle_predictor(config).save_optimized_model(str(tmp_path / "optimised"))
    return tmp_path / "optimised"


@pytest.mark.parametrize("path", ["optimised", "optimised.nb", "optimised/inference.pdmodel"])
def test_an_optimised_model_runs(optimised: Path, path: str) -> None:
    config = MobileConfig()
    config.set_model_from_file(str(optimised.parent / path))
    assert not config.is_model_from_memory()
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_directory_loads_the_model(optimised: Path) -> None:
    config = MobileConfig()
    config.set_model_dir(str(optimised))
    assert config.model_dir() == str(optimised)
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_bytes_take_precedence_over_a_path(optimised: Path) -> None:
    program, params = ((optimised / f"inference.{end}").read_bytes() for end in ("pdmodel", "pdiparams"))
    config = MobileConfig()
    config.set_model_from_file("somewhere else")
    config.set_model_buffer(program, len(program), params, len(params))
    assert config.is_model_from_memory()
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_program_without_parameters_runs_only_if_it_needs_none(tmp_path: Path, optimised: Path) -> None:
    program = (models.save_two_inputs(tmp_path / "two") / "inference.pdmodel").read_bytes()
    config = MobileConfig()
    config.set_model_from_buffer(program)
    predictor = create_paddle_predictor(config)
    for name, number in (("a", 5), ("b", 3)):
        predictor.get_input_by_name(name).from_numpy(np.array([number], np.float32))
    predictor.run()
    assert predictor.get_output(0).float_data() == [2.0]

    config.set_model_from_buffer((optimised / "inference.pdmodel").read_bytes())
    with pytest.raises(ModelParseError, match="no parameters were given"):
        create_paddle_predictor(config)


def test_no_optional_pass_runs(model: str) -> None:
    config = MobileConfig()
    config.set_model_from_file(model)
    assert list(config.to_lite().passes or ()) == []
    assert config.to_lite().passes is not None
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_naive_buffer_runs_from_a_file_and_from_memory(tmp_path: Path) -> None:
    data = naive_buffer(models.program_of_relu())
    path = tmp_path / "m.nb"
    path.write_bytes(data)
    config = MobileConfig()
    config.set_model_from_file(str(path))
    assert config.to_lite().passes is None
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))

    config = MobileConfig()
    config.set_model_from_buffer(data)
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_missing_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="call set_model_from_file"):
        create_paddle_predictor(MobileConfig())
    config = MobileConfig()
    config.set_model_from_file(str(tmp_path / "none.nb"))
    with pytest.raises(ModelParseError, match=r"none\.nb"):
        create_paddle_predictor(config)


def test_threads_are_translated() -> None:
    config = MobileConfig()
    config.set_model_from_file("m")
    config.set_threads(2)
    assert config.to_lite().threads == 2
