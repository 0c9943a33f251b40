"""CxxConfig: naming the model, settings and what they become."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.compat.paddlelite import CxxConfig, Place, TargetType, devices
from lite.errors import ConfigError, ModelParseError
from lite.passes.pipelines import DEFAULT
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS, result


def test_a_directory(model: str) -> None:
    config = CxxConfig()
    config.set_model_dir(model)
    assert (config.model_dir(), config.model_file(), config.param_file()) == (model, "", "")
    assert not config.is_model_from_memory()
    np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))


def test_two_files_come_before_the_directory(model: str) -> None:
    config = CxxConfig()
    config.set_model_dir("somewhere else")
    config.set_model_file(f"{model}/inference.pdmodel")
    config.set_param_file(f"{model}/inference.pdiparams")
    np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))


def test_bytes_come_before_files(model: str) -> None:
    program, params = (Path(model, f"inference.{end}").read_bytes() for end in ("pdmodel", "pdiparams"))
    config = CxxConfig()
    config.set_model_file("somewhere else")
    config.set_model_buffer(program + b"more", len(program), params, len(params))
    assert config.is_model_from_memory()
    np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))


def test_no_model_and_no_such_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name the model"):
        result(CxxConfig())
    config = CxxConfig()
    config.set_model_dir(str(tmp_path / "nowhere"))
    with pytest.raises(ModelParseError, match="nowhere"):
        result(config)


def test_a_new_config_is_the_default() -> None:
    config = CxxConfig()
    config.set_model_dir("m")
    assert config.to_lite() == lite.Config("m")


def test_settings_become_ours() -> None:
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_threads(3)
    config.set_valid_places([Place(TargetType.X86)])
    config.set_passes_internal(["graph_visualize_pass"])
    config.add_discarded_pass("lite_conv_bn_fuse_pass")
    expected = [name for name in DEFAULT if name != "conv_bn_fuse_pass"]

    assert config.to_lite() == lite.Config(
        "m",
        threads=3,
        valid_places=[lite.Place("cpu"), lite.Place("host")],
        passes=[*expected, "graph_visualize_pass"],
    )


def test_what_is_remembered_only() -> None:
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_nnadapter_subgraph_partition_config_path("partition.txt")
    config.set_nnadapter_mixed_precision_quantization_config_path("quant.txt")

    assert config.nnadapter_subgraph_partition_config_path() == "partition.txt"
    assert config.nnadapter_mixed_precision_quantization_config_path() == "quant.txt"
    assert config.to_lite() == lite.Config("m")


def test_places_of_processors_give_equal_results(model: str) -> None:
    for target in (TargetType.X86, TargetType.ARM, TargetType.Host):
        config = CxxConfig()
        config.set_model_dir(model)
        config.set_valid_places([Place(target)])
        np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))


def test_a_device_that_is_not_there(model: str, caplog: pytest.LogCaptureFixture) -> None:
    config = CxxConfig()
    config.set_model_dir(model)
    config.set_valid_places([Place(TargetType.NNAdapter), Place(TargetType.X86)])
    config.set_nnadapter_device_names(["a_device_that_nobody_has"])

    np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))
    np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_device_that_is_there_needs_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "installed_devices", lambda: {"a_device"})
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_nnadapter_device_names(["a_device"])
    config.set_valid_places([Place(TargetType.X86)])
    assert config.to_lite().devices == ()
    config.set_valid_places([Place(TargetType.NNAdapter), Place(TargetType.X86)])
    assert config.to_lite().devices == ("a_device",)


def test_an_added_pass_runs_and_a_wrong_one_is_named(model: str) -> None:
    config = CxxConfig()
    config.set_model_dir(model)
    config.set_passes_internal(["lite_scales_fuse_pass", "dead_code_elimination_pass"])
    np.testing.assert_array_equal(result(config), models.relu_of_sum(ROWS))
    config.set_passes_internal(["lite_conv_bn_fuse_pas"])
    with pytest.raises(ConfigError, match="did you mean 'lite_conv_bn_fuse_pass'"):
        result(config)
