"""The settings of CxxConfig and MobileConfig alike."""

from __future__ import annotations

import pytest

from lite.compat.paddlelite import CLPrecisionType, CLTuneMode, CxxConfig, MobileConfig, PowerMode

each_config = pytest.mark.parametrize("make", [CxxConfig, MobileConfig])


@each_config
def test_threads_and_power_mode_are_kept(make: type[CxxConfig | MobileConfig]) -> None:
    config = make()
    assert (config.threads(), config.power_mode()) == (1, PowerMode.LITE_POWER_NO_BIND)
    config.set_threads(3)
    config.set_power_mode(PowerMode.LITE_POWER_HIGH)
    assert (config.threads(), config.power_mode()) == (3, PowerMode.LITE_POWER_HIGH)
    config.set_threads(0)
    assert config.threads() == 1


@each_config
def test_settings_for_other_hardware_are_kept_without_a_warning(
    make: type[CxxConfig | MobileConfig], caplog: pytest.LogCaptureFixture
) -> None:
    config = make()
    config.set_opencl_binary_path_name("./", "kernels.bin")
    config.set_opencl_tune(CLTuneMode.CL_TUNE_NORMAL, "./", "tuned.bin", 4)
    config.set_opencl_precision(CLPrecisionType.CL_PRECISION_FP16)
    config.set_metal_use_mps()
    config.set_metal_use_memory_reuse(False)
    config.set_metal_lib_path("lite.metallib")
    config.set_nnadapter_dynamic_shape_info({"x": [[1, 3], [2, 3]]})
    config.set_nnadapter_model_cache_buffers("key", b"cache")

    assert config.requests == {
        "opencl_binary_path_name": ("./", "kernels.bin"),
        "opencl_tune": (CLTuneMode.CL_TUNE_NORMAL, "./", "tuned.bin", 4),
        "opencl_precision": (CLPrecisionType.CL_PRECISION_FP16,),
        "metal_use_mps": (True,),
        "metal_use_memory_reuse": (False,),
        "metal_lib_path": ("lite.metallib",),
        "nnadapter_dynamic_shape_info": ({"x": [[1, 3], [2, 3]]},),
        "nnadapter_model_cache_buffers": ("key", b"cache"),
    }
    assert caplog.records == []


@each_config
def test_nnadapter_settings_are_kept(make: type[CxxConfig | MobileConfig]) -> None:
    config = make()
    assert config.nnadapter_device_names() == []
    config.set_nnadapter_device_names(["a", "b"])
    config.set_nnadapter_context_properties("KEY=VALUE;")
    config.set_nnadapter_model_cache_dir("cache")

    assert config.nnadapter_device_names() == ["a", "b"]
    assert config.nnadapter_context_properties() == "KEY=VALUE;"
    assert config.nnadapter_model_cache_dir() == "cache"
