"""Every public name of ``paddle.inference`` 3.3.1 is there."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from lite.compat import paddle_inference
from lite.compat.paddle_inference import Config, PassStrategy, PrecisionType, Predictor, Tensor, XpuConfig
from lite.compat.paddle_inference.internal_utils import InternalUtils

CONFIG = """
Bfloat16 Float32 Half Int8 Precision collect_shape_range_info cpu_math_library_num_threads delete_pass
disable_glog_info disable_gpu disable_mkldnn disable_mkldnn_fc_passes disable_onednn
disable_onednn_fc_passes disable_onnxruntime enable_cinn enable_custom_device enable_custom_passes
enable_ipu enable_low_precision_io enable_memory_optim enable_mkldnn enable_mkldnn_bfloat16
enable_mkldnn_int8 enable_new_executor enable_new_ir enable_onednn enable_onednn_bfloat16 enable_onednn_int8
enable_onnxruntime enable_openvino_engine enable_ort_optimization enable_profile enable_save_optim_model
enable_tensorrt_dla enable_tensorrt_engine enable_tensorrt_explicit_quantization enable_tensorrt_inspector
enable_tensorrt_memory_optim enable_tensorrt_varseqlen enable_tuned_tensorrt_dynamic_shape enable_use_gpu
enable_xpu exp_disable_mixed_precision_ops exp_disable_tensorrt_dynamic_shape_ops exp_disable_tensorrt_ops
exp_disable_tensorrt_subgraph exp_enable_mixed_precision_ops exp_enable_use_cutlass
exp_sparse_conv_using_buffer exp_specify_tensorrt_subgraph_precision fraction_of_gpu_memory_for_pool
glog_info_disabled gpu_device_id ir_optim load_ipu_config mark_trt_engine_outputs memory_pool_init_size_mb
mkldnn_enabled mkldnn_int8_enabled model_dir model_from_memory new_ir_enabled onednn_enabled
onednn_int8_enabled onnxruntime_enabled openvino_engine_enabled params_file pass_builder prog_file
set_bfloat16_op set_cpu_math_library_num_threads set_ipu_config set_ipu_custom_info
set_mkldnn_cache_capacity set_mkldnn_op set_model set_model_buffer set_onednn_cache_capacity set_onednn_op
set_optim_cache_dir set_optimization_level set_params_file set_prog_file set_tensorrt_optimization_level
set_trt_dynamic_shape_info set_xpu_config set_xpu_device_id shape_range_info_collected shape_range_info_path
specify_input_name summary switch_ir_debug switch_ir_optim switch_specify_input_names
switch_use_feed_fetch_ops tensorrt_dla_enabled tensorrt_dynamic_shape_enabled tensorrt_engine_enabled
tensorrt_explicit_quantization_enabled tensorrt_inspector_enabled tensorrt_optimization_level
tensorrt_precision_mode tensorrt_varseqlen_enabled to_native_config trt_allow_build_at_runtime
tuned_tensorrt_dynamic_shape use_feed_fetch_ops_enabled use_gpu use_optimized_model use_xpu xpu_config
xpu_device_id
"""
PREDICTOR = """
clear_intermediate_tensor clone get_input_handle get_input_names get_output_handle get_output_names
register_input_hook register_output_hook run try_shrink_memory
"""
TENSOR = """
copy_from_cpu copy_to_cpu lod reshape set_lod shape share_external_data share_external_data_by_ptr_name type
"""
PASS_STRATEGY = """
all_passes analysis_passes append_analysis_pass append_pass debug_string delete_pass enable_cudnn
enable_mkldnn enable_mkldnn_bfloat16 enable_onednn enable_onednn_bfloat16 insert_pass set_passes
turn_on_debug use_gpu
"""
XPU_CONFIG = """
context context_gm_size conv_autotune_file conv_autotune_file_writeback conv_autotune_level device_id
fc_autotune_file fc_autotune_file_writeback fc_autotune_level gemm_compute_precision l3_autotune_size l3_ptr
l3_size quant_post_dynamic_activation_method quant_post_dynamic_op_types quant_post_dynamic_weight_precision
quant_post_static_gelu_out_threshold stream transformer_encoder_adaptive_seqlen
transformer_softmax_optimize_level
"""
INTERNAL_UTILS = """
disable_tensorrt_half_ops set_transformer_maskid set_transformer_posid
"""
MODULE = """
Config DataType InternalUtils PlaceType PrecisionType Predictor PredictorPool Tensor XpuConfig
convert_to_mixed_precision create_predictor get_num_bytes_of_data_type get_trt_compile_version
get_trt_runtime_version get_version
"""


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (Config, CONFIG),
        (Predictor, PREDICTOR),
        (Tensor, TENSOR),
        (PassStrategy, PASS_STRATEGY),
        (XpuConfig(), XPU_CONFIG),
        (InternalUtils, INTERNAL_UTILS),
        (paddle_inference, MODULE),
    ],
)
def test_no_public_name_of_paddle_is_missing(owner: object, names: str) -> None:
    assert [name for name in names.split() if not hasattr(owner, name)] == []


def test_config_has_113_names() -> None:
    assert len(CONFIG.split()) == 113


def test_settings_without_a_meaning_warn_once(caplog: pytest.LogCaptureFixture) -> None:
    config = Config("m")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            config.enable_cinn()
            config.enable_ipu()
            config.enable_tensorrt_dla()
            config.enable_tensorrt_varseqlen()
            config.enable_tensorrt_explicit_quantization()
            config.enable_tensorrt_inspector()
            config.enable_low_precision_io()
            config.exp_enable_mixed_precision_ops({"conv2d"})
            config.set_ipu_config()
            config.set_ipu_custom_info()
            config.load_ipu_config("file")
            config.use_optimized_model()
            InternalUtils.set_transformer_posid(config, "x")
            InternalUtils.set_transformer_maskid(config, "x")
            InternalUtils.disable_tensorrt_half_ops(config, {"x"})
    assert len(caplog.records) == 15
    assert {record.levelname for record in caplog.records} == {"WARNING"}


def test_settings_that_no_result_depends_on_say_nothing(caplog: pytest.LogCaptureFixture) -> None:
    config = Config("m")
    config.enable_onednn()
    config.set_onednn_op({"conv2d"})
    config.set_bfloat16_op({"conv2d"})
    config.set_onednn_cache_capacity(10)
    config.disable_onednn_fc_passes()
    config.enable_tensorrt_memory_optim()
    config.mark_trt_engine_outputs(["x"])
    config.exp_disable_tensorrt_ops(["x"])
    config.exp_disable_tensorrt_subgraph(["x"])
    config.exp_disable_tensorrt_dynamic_shape_ops(True)
    config.exp_specify_tensorrt_subgraph_precision([], [], [])
    config.exp_disable_mixed_precision_ops({"x"})
    config.exp_enable_use_cutlass()
    config.exp_sparse_conv_using_buffer([[3]], [[1]])
    config.enable_ort_optimization()
    assert caplog.records == []


def test_requests_are_answered() -> None:
    config = Config("m")
    assert not config.onednn_enabled()
    config.enable_onednn()
    assert (config.onednn_enabled(), config.mkldnn_enabled()) == (True, True)
    config.disable_onednn()
    config.enable_onednn_bfloat16()
    config.enable_onednn_int8()
    assert (config.onednn_enabled(), config.onednn_int8_enabled()) == (False, True)
    config.enable_new_ir()
    assert config.new_ir_enabled()
    config.set_tensorrt_optimization_level(5)
    config.set_tensorrt_optimization_level(9)
    assert config.tensorrt_optimization_level() == 5
    config.enable_tensorrt_engine(precision_mode=PrecisionType.Half)
    assert config.tensorrt_precision_mode() is Config.Half
    config.collect_shape_range_info("shapes.pbtxt")
    assert (config.shape_range_info_collected(), config.shape_range_info_path()) == (True, "shapes.pbtxt")
    config.enable_tuned_tensorrt_dynamic_shape("shapes.pbtxt", False)
    assert (config.tuned_tensorrt_dynamic_shape(), config.trt_allow_build_at_runtime()) == (True, False)
    config.set_trt_dynamic_shape_info({"x": [1]}, {"x": [1]}, {"x": [1]})
    assert config.tensorrt_dynamic_shape_enabled()
    config.set_xpu_device_id(2)
    assert (config.xpu_device_id(), config.xpu_config().device_id, config.use_xpu()) == (2, 2, False)
    config.set_xpu_config(XpuConfig(device_id=3))
    assert config.xpu_device_id() == 3
    assert config.fraction_of_gpu_memory_for_pool() == 0
    for enabled in (
        config.tensorrt_engine_enabled,
        config.tensorrt_dla_enabled,
        config.tensorrt_varseqlen_enabled,
        config.tensorrt_explicit_quantization_enabled,
        config.tensorrt_inspector_enabled,
        config.openvino_engine_enabled,
    ):
        assert not enabled()


def test_openvino_is_a_device() -> None:
    config = Config("m")
    config.enable_openvino_engine(PrecisionType.Half)
    assert config.openvino_engine_enabled()
    assert config.to_lite().devices == ("openvino{precision=f16}",)


def test_optimisation_levels_choose_the_passes() -> None:
    config = Config("m")
    config.set_optimization_level(3)
    assert config.to_lite().passes is None
    config.set_optimization_level(0)
    assert config.to_lite().passes == ()


def test_custom_passes_are_added_or_are_the_whole_list() -> None:
    config = Config("m")
    config.enable_custom_passes(["constant_folding_pass"])
    assert config.pass_builder().all_passes()[-1] == "constant_fold_pass"
    config.enable_custom_passes(["constant_folding_pass"], True)
    assert config.pass_builder().all_passes() == ["constant_fold_pass"]


def test_the_native_config_names_the_files() -> None:
    native = Config("m.pdmodel", "m.pdiparams").to_native_config()
    assert (native.model_dir, native.prog_file, native.param_file) == ("", "m.pdmodel", "m.pdiparams")


def test_output_hooks_see_every_op(model: str) -> None:
    predictor = paddle_inference.create_predictor(Config(model))
    seen: list[tuple[str, list[int]]] = []

    def hook(op: str, name: str, tensor: Tensor) -> None:
        seen.append((op, tensor.shape()))

    predictor.register_output_hook(hook)
    predictor.register_input_hook(hook)
    predictor.get_input_handle("x").copy_from_cpu(np.ones((2, 3), np.float32))
    predictor.run()
    assert seen
    assert {tuple(shape) for _, shape in seen} == {(2, 3)}
