"""MobileConfig: optimised models, and the refusal of naive buffers."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from lite.compat.paddlelite import CxxConfig, MobileConfig, create_paddle_predictor
from lite.compat.paddlelite.mobile_config import NAIVE_HEADER_BYTES, refuse_naive_buffer
from lite.errors import ConfigError, ModelParseError
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS, run_on_rows


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


def test_a_naive_buffer_is_refused_from_a_file_and_from_memory(tmp_path: Path) -> None:
    data = struct.pack("<H16sQ", 2, b"v2.13-rc0", 1000) + b"flatbuffer"
    path = tmp_path / "m.nb"
    path.write_bytes(data)
    config = MobileConfig()
    config.set_model_from_file(str(path))
    with pytest.raises(ModelParseError, match=r"m\.nb: this is a naive buffer .* Paddle-Lite v2\.13-rc0\."):
        create_paddle_predictor(config)

    config.set_model_from_buffer(data)
    with pytest.raises(ModelParseError, match="model buffer: this is a naive buffer"):
        create_paddle_predictor(config)


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


def naive_header(meta_version: int, version: bytes) -> bytes:
    return struct.pack("<H16s", meta_version, version)


@pytest.mark.parametrize("meta_version", [0, 1, 2])
@pytest.mark.parametrize("version", [b"v2.13-rc0", b"3d329c954c", b"v2.10.0-0123456+"])
def test_every_layout_and_version_of_a_naive_buffer_is_recognised(meta_version: int, version: bytes) -> None:
    with pytest.raises(ModelParseError) as error:
        refuse_naive_buffer(naive_header(meta_version, version) + b"and more", "m.nb")
    text = str(error.value)
    assert text.startswith(f"m.nb: this is a naive buffer (.nb, layout {meta_version}) of Paddle-Lite ")
    assert version.decode() in text
    assert "Load the original model" in text


@pytest.mark.parametrize(
    "prefix",
    [
        b"",
        b"\0" * NAIVE_HEADER_BYTES,
        naive_header(2, b"v2.13")[: NAIVE_HEADER_BYTES - 1],
        naive_header(3, b"v2.13"),
        naive_header(1, b"\xff\xfe"),
        naive_header(1, b"v2\0.13"),
        b"\x0a" + b"a" * NAIVE_HEADER_BYTES,
    ],
)
def test_other_content_is_not_a_naive_buffer(prefix: bytes) -> None:
    refuse_naive_buffer(prefix, "a file")
