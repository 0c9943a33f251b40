"""The part of Config that requests accelerators and other libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.compat.paddle_inference.enums import PrecisionType
from lite.compat.paddle_inference.environment import warn_ignored

_ON_DEVICES = "the model runs on the host and on the devices of install()"


class AcceleratorRequests:
    """Accepts every request, most with one warning, like a Paddle that was built without the library."""

    def __init__(self) -> None:
        self._gpu_device_id = 0
        self._memory_pool_mb = 0
        self._onnxruntime = False

    def enable_use_gpu(
        self,
        memory_pool_init_size_mb: int,
        device_id: int = 0,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:
        """Has no effect; logs a warning, like Paddle without CUDA."""
        self._memory_pool_mb, self._gpu_device_id = memory_pool_init_size_mb, device_id
        warn_ignored("enable_use_gpu", _ON_DEVICES)

    def disable_gpu(self) -> None:
        """Has no effect."""

    def use_gpu(self) -> bool:
        """Always False."""
        return False

    def gpu_device_id(self) -> int:
        """The `device_id` of `enable_use_gpu`."""
        return self._gpu_device_id

    def memory_pool_init_size_mb(self) -> int:
        """The `memory_pool_init_size_mb` of `enable_use_gpu`."""
        return self._memory_pool_mb

    def enable_xpu(self, l3_workspace_size: int = 16 << 20, **options: object) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_xpu", _ON_DEVICES)

    def use_xpu(self) -> bool:
        """Always False."""
        return False

    def enable_custom_device(self, device_type: str, device_id: int = 0) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_custom_device", _ON_DEVICES)

    def enable_onnxruntime(self) -> None:
        """Add the device ``onnxruntime`` after the devices of `install`."""
        self._onnxruntime = True

    def disable_onnxruntime(self) -> None:
        """Undo `enable_onnxruntime`."""
        self._onnxruntime = False

    def onnxruntime_enabled(self) -> bool:
        """Whether the device ``onnxruntime`` is used."""
        return self._onnxruntime

    def enable_lite_engine(
        self,
        precision_mode: PrecisionType = PrecisionType.Float32,
        zero_copy: bool = False,
        passes_filter: Sequence[str] = (),
        ops_filter: Sequence[str] = (),
    ) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_lite_engine", _ON_DEVICES)

    def lite_engine_enabled(self) -> bool:
        """Always False."""
        return False

    def enable_tensorrt_engine(
        self,
        workspace_size: int = 1 << 30,
        max_batch_size: int = 1,
        min_subgraph_size: int = 3,
        precision_mode: PrecisionType = PrecisionType.Float32,
        use_static: bool = False,
        use_calib_mode: bool = True,
        use_cuda_graph: bool = False,
    ) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_tensorrt_engine", _ON_DEVICES)

    def tensorrt_engine_enabled(self) -> bool:
        """Always False."""
        return False

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape: Mapping[str, Sequence[int]] | None = None,
        max_input_shape: Mapping[str, Sequence[int]] | None = None,
        optim_input_shape: Mapping[str, Sequence[int]] | None = None,
        disable_trt_plugin_fp16: bool = False,
    ) -> None:
        """Has no effect; logs a warning.  Inputs may have any shape that the model accepts."""
        warn_ignored("set_trt_dynamic_shape_info", _ON_DEVICES)

    def collect_shape_range_info(self, shape_range_info_path: str) -> None:
        """Writes no file; logs a warning."""
        warn_ignored("collect_shape_range_info", "TensorRT is not used, and no file is written")

    def enable_tuned_tensorrt_dynamic_shape(
        self, shape_range_info_path: str = "", allow_build_at_runtime: bool = True
    ) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_tuned_tensorrt_dynamic_shape", _ON_DEVICES)
