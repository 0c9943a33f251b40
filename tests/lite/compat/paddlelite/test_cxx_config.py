"""CxxConfig: the model, the settings, and their translation to a `lite.Config`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.compat.paddlelite import CxxConfig, Place, TargetType, environment
from lite.compat.paddlelite.cxx_config import pass_list
from lite.errors import ConfigError, ModelParseError
from lite.passes.pipelines import DEFAULT
from lite.spec.grammar import parse_spec
from tests.lite.compat.paddle_inference import models
from tests.lite.compat.paddlelite.run_model import ROWS, run_on_rows


def test_a_directory_loads_the_model(model: str) -> None:
    config = CxxConfig()
    config.set_model_dir(model)
    assert (config.model_dir(), config.model_file(), config.param_file()) == (model, "", "")
    assert not config.is_model_from_memory()
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_files_take_precedence_over_the_directory(model: str) -> None:
    config = CxxConfig()
    config.set_model_dir("somewhere else")
    config.set_model_file(f"{model}/inference.pdmodel")
    config.set_param_file(f"{model}/inference.pdiparams")
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_bytes_take_precedence_over_files(model: str) -> None:
    program, params = (Path(model, f"inference.{end}").read_bytes() for end in ("pdmodel", "pdiparams"))
    config = CxxConfig()
    config.set_model_file("somewhere else")
    config.set_model_buffer(program + b"more", len(program), params, len(params))
    assert config.is_model_from_memory()
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_missing_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name the model"):
        run_on_rows(CxxConfig())
    config = CxxConfig()
    config.set_model_dir(str(tmp_path / "nowhere"))
    with pytest.raises(ModelParseError, match="nowhere"):
        run_on_rows(config)


def test_a_new_config_has_the_defaults_of_litebridge() -> None:
    config = CxxConfig()
    config.set_model_dir("m")
    assert config.to_lite() == lite.Config("m")


def test_settings_are_translated() -> None:
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


def test_settings_without_effect_are_kept_and_change_nothing() -> None:
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_nnadapter_subgraph_partition_config_path("partition.txt")
    config.set_nnadapter_mixed_precision_quantization_config_path("quant.txt")

    assert config.nnadapter_subgraph_partition_config_path() == "partition.txt"
    assert config.nnadapter_mixed_precision_quantization_config_path() == "quant.txt"
    assert config.to_lite() == lite.Config("m")


def test_each_processor_gives_the_same_result(model: str) -> None:
    for target in (TargetType.X86, TargetType.ARM, TargetType.Host):
        config = CxxConfig()
        config.set_model_dir(model)
        config.set_valid_places([Place(target)])
        np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_missing_device_gives_one_warning(model: str, caplog: pytest.LogCaptureFixture) -> None:
    config = CxxConfig()
    config.set_model_dir(model)
    config.set_valid_places([Place(TargetType.NNAdapter), Place(TargetType.X86)])
    config.set_nnadapter_device_names(["a_missing_device"])

    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_an_installed_device_is_used_only_with_the_place_nnadapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "installed_devices", lambda: {"a_device"})
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_nnadapter_device_names(["a_device"])
    config.set_valid_places([Place(TargetType.X86)])
    assert config.to_lite().devices == ()
    config.set_valid_places([Place(TargetType.NNAdapter), Place(TargetType.X86)])
    assert config.to_lite().devices == ("a_device",)


def test_an_added_pass_runs_and_an_unknown_one_is_named(model: str) -> None:
    config = CxxConfig()
    config.set_model_dir(model)
    config.set_passes_internal(["lite_scales_fuse_pass", "dead_code_elimination_pass"])
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))
    config.set_passes_internal(["lite_conv_bn_fuse_pas"])
    with pytest.raises(ConfigError, match="did you mean 'lite_conv_bn_fuse_pass'"):
        run_on_rows(config)


def test_an_unchanged_pass_list_is_none() -> None:
    assert pass_list([], []) is None


def test_added_passes_come_after_the_default_ones() -> None:
    added = ["lite_fc_fuse_pass", "graph_visualize_pass{svg=false}"]
    assert pass_list(added, []) == [*DEFAULT, *added]


def test_only_the_first_pass_of_a_name_is_discarded() -> None:
    expected = [name for name in DEFAULT if name != "conv_bn_fuse_pass"]
    assert pass_list([], ["lite_conv_bn_fuse_pass"]) == expected
    assert pass_list(["conv_bn_fuse_pass"], ["lite_conv_bn_fuse_pass"]) == [*expected, "conv_bn_fuse_pass"]


def test_an_added_pass_can_be_discarded() -> None:
    assert pass_list(["graph_visualize_pass"], ["graph_visualize_pass"]) == list(DEFAULT)


def test_discarding_a_missing_pass_gives_one_warning_unless_litebridge_does_not_need_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert pass_list([], ["__xpu__fc_fuse_pass"]) == list(DEFAULT)
    assert caplog.records == []
    assert pass_list([], ["no_such_pass", "no_such_pass"]) == list(DEFAULT)
    (record,) = caplog.records
    assert "add_discarded_pass('no_such_pass') has no effect" in record.getMessage()


def test_the_mixed_precision_config_names_ops_that_stay_in_float(tmp_path: Path) -> None:
    path = tmp_path / "quant.txt"
    path.write_text('softmax\nconv2d:"x":y\n')
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_nnadapter_mixed_precision_quantization_config_path(str(path))
    assert config.to_lite().passes is None

    config.set_valid_places([Place(TargetType.NNAdapter)])
    names = list(config.to_lite().passes or ())
    place = names.index("subgraph_pass")
    spec = parse_spec(names[place - 1])
    assert (spec.name, spec.mapping) == (
        "quantization_parameters_removal_pass",
        {"config": path.read_text()},
    )
    assert [*names[: place - 1], *names[place:]] == list(DEFAULT)


def test_a_mixed_precision_config_that_is_missing_is_an_error() -> None:
    config = CxxConfig()
    config.set_model_dir("m")
    config.set_valid_places([Place(TargetType.NNAdapter)])
    config.set_nnadapter_mixed_precision_quantization_config_path("missing.txt")
    with pytest.raises(ConfigError, match="mixed precision quantisation config: cannot read"):
        config.to_lite()
