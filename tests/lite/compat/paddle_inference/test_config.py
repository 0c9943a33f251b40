"""Config: the model, the settings, and their translation to a `lite.Config`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lite.compat import paddle_inference
from lite.compat.paddle_inference import Config, create_predictor
from lite.errors import ConfigError, ModelParseError
from lite.passes.pipelines import default_pipeline
from tests.lite.compat.paddle_inference import models

ROWS = np.array([[1, 2, -3]], np.float32)


def run_on_rows(config: Config) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    predictor = create_predictor(config)
    predictor.get_input_handle("x").copy_from_cpu(ROWS)
    predictor.run()
    return predictor.get_output_handle("y").copy_to_cpu()


def set_each_file(prog: str, params: str) -> Config:
    config = Config()
    config.set_prog_file(prog)
    config.set_params_file(params)
    return config


def set_both_files(prog: str, params: str) -> Config:
    config = Config("somewhere else")
    config.set_model(prog, params)
    return config


def set_buffers(prog: str, params: str) -> Config:
    config = Config("somewhere else")
    data, weights = Path(prog).read_bytes(), Path(params).read_bytes()
    config.set_model_buffer(data + b"more", len(data), weights, len(weights))
    assert config.model_from_memory()
    return config


@pytest.mark.parametrize("make", [Config, set_each_file, set_both_files, set_buffers])
def test_each_method_of_setting_two_files_loads_the_model(
    model: str, make: Callable[[str, str], Config]
) -> None:
    config = make(f"{model}/inference.pdmodel", f"{model}/inference.pdiparams")

    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))
    assert config.model_dir() == ""


def test_a_directory_loads_the_model(model: str) -> None:
    config = Config(model)
    assert (config.model_dir(), config.prog_file(), config.params_file()) == (model, "", "")
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))

    config = Config()
    config.set_model(model)
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_config_without_a_model_raises_when_a_predictor_is_created() -> None:
    with pytest.raises(ConfigError, match="name the model"):
        create_predictor(Config())


def test_a_missing_directory_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(ModelParseError, match="nowhere"):
        create_predictor(Config(str(tmp_path / "nowhere")))


def test_a_size_larger_than_the_buffer_is_refused() -> None:
    with pytest.raises(ConfigError, match="buffer of params has 2 bytes; expected a size from 0 to 2, got 3"):
        Config().set_model_buffer(b"a", 1, b"bc", 3)


def test_a_new_config_has_paddles_defaults() -> None:
    config = Config("m")
    translated = config.to_lite()

    assert config.ir_optim()
    assert not config.use_gpu()
    assert not config.mkldnn_enabled()
    assert not config.glog_info_disabled()
    assert config.cpu_math_library_num_threads() == 1
    assert (translated.passes, translated.threads, translated.memory, translated.debug) == (
        None,
        1,
        "compact",
        False,
    )


def test_settings_are_translated() -> None:
    config = Config("m")
    config.set_cpu_math_library_num_threads(3)
    config.enable_memory_optim(False)
    config.switch_ir_optim(False)
    config.switch_ir_debug()
    translated = config.to_lite()

    assert (translated.passes, translated.threads, translated.memory, translated.debug) == (
        (),
        3,
        "plain",
        True,
    )
    config.enable_memory_optim()
    config.switch_ir_optim()
    config.set_cpu_math_library_num_threads(-1)
    assert (config.to_lite().passes, config.to_lite().memory, config.to_lite().threads) == (
        None,
        "compact",
        1,
    )


def test_without_ir_optim_the_result_is_the_same(model: str) -> None:
    config = Config(model)
    config.switch_ir_optim(False)
    np.testing.assert_array_equal(run_on_rows(config), models.relu_of_sum(ROWS))


def test_a_copy_is_independent() -> None:
    first = Config("m")
    first.set_cpu_math_library_num_threads(2)
    first.delete_pass("fc_fuse_pass")
    second = Config(first)
    second.set_cpu_math_library_num_threads(5)
    second.delete_pass("conv_bn_fuse_pass")
    second.set_model("n")

    assert (first.model_dir(), first.cpu_math_library_num_threads()) == ("m", 2)
    assert (second.model_dir(), second.cpu_math_library_num_threads()) == ("n", 5)
    assert "conv_bn_fuse_pass" in first.pass_builder().all_passes()
    assert "fc_fuse_pass" not in second.pass_builder().all_passes()


def test_a_deleted_pass_does_not_run(model: str) -> None:
    complete, shorter = Config(model), Config(model)
    shorter.delete_pass("identity_scale_eliminate_pass")
    passes = shorter.to_lite().passes

    assert complete.to_lite().passes is None
    assert passes is not None
    assert "identity_scale_eliminate_pass" in default_pipeline()
    assert "identity_scale_eliminate_pass" not in passes
    np.testing.assert_array_equal(run_on_rows(shorter), run_on_rows(complete))


def test_ignored_passes_are_logged_in_one_line(model: str, caplog: pytest.LogCaptureFixture) -> None:
    config = Config(model)
    config.delete_pass("matmul_transpose_reshape_fuse_pass")
    config.delete_pass("repeated_fc_relu_fuse_pass")
    with caplog.at_level(logging.INFO, "lite.compat"):
        create_predictor(config)
    (record,) = caplog.records
    assert record.getMessage() == (
        "passes of Paddle Inference without a counterpart in litebridge: "
        "matmul_transpose_reshape_fuse_pass, repeated_fc_relu_fuse_pass"
    )

    caplog.clear()
    config.disable_glog_info()
    with caplog.at_level(logging.INFO, "lite.compat"):
        create_predictor(config)
    assert caplog.records == []


def test_each_request_for_other_hardware_gives_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    config = Config("m")
    config.enable_use_gpu(500, 1)
    config.enable_use_gpu(500, 0)
    config.enable_tensorrt_engine(max_batch_size=4)

    assert [(record.levelname, record.getMessage().split(" has")[0]) for record in caplog.records] == [
        ("WARNING", "paddle.inference: enable_use_gpu"),
        ("WARNING", "paddle.inference: enable_tensorrt_engine"),
    ]
    assert not config.use_gpu()
    assert not config.tensorrt_engine_enabled()
    assert (config.gpu_device_id(), config.memory_pool_init_size_mb()) == (0, 500)


def test_settings_without_effect_are_kept_and_change_nothing() -> None:
    config = Config("m")
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_mkldnn_cache_capacity(10)
    config.disable_glog_info()
    config.switch_use_feed_fetch_ops(True)
    config.switch_specify_input_names(True)
    config.set_optim_cache_dir("cache")

    assert config.mkldnn_enabled()
    assert config.glog_info_disabled()
    assert config.use_feed_fetch_ops_enabled()
    assert config.specify_input_name()
    config.disable_mkldnn()
    assert not config.mkldnn_enabled()
    assert config.to_lite() == Config("m").to_lite()


def test_the_summary_lists_the_effective_settings() -> None:
    paddle_inference.install(threads=2)
    config = Config("p.pdmodel", "p.pdiparams")
    config.switch_ir_optim(False)

    assert config.summary().splitlines() == [
        "model_dir        ",
        "prog_file        p.pdmodel",
        "params_file      p.pdiparams",
        "cpu_math_thread  2",
        "devices          host only",
        "ir_optim         False",
        "ir_debug         False",
        "memory_optim     True",
        "passes           mandatory ones only",
    ]


def test_enable_onnxruntime_adds_a_device(tmp_path: Path) -> None:
    config = paddle_inference.Config(str(tmp_path))
    assert config.to_lite().devices == ()
    config.enable_onnxruntime()
    assert config.onnxruntime_enabled()
    assert config.to_lite().devices == ("onnxruntime",)
    assert "onnxruntime" in config.summary()
    config.disable_onnxruntime()
    assert config.to_lite().devices == ()
