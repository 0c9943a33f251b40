"""The part of Config that asks for hardware and libraries that are not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.compat.paddle_inference.enums import PrecisionType
from lite.compat.paddle_inference.notice import warn_once

_ON_DEVICES = "the model runs on the host and the devices that install() was given"


class AcceleratorRequests:
    """Every request is accepted, most with one warning, as Paddle does when built without the library."""

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
        """Accepted with a warning, like Paddle without CUDA: there is no GPU here."""
        self._memory_pool_mb, self._gpu_device_id = memory_pool_init_size_mb, device_id
        warn_once("enable_use_gpu", _ON_DEVICES)

    def disable_gpu(self) -> None:
        """Nothing to do."""

    def use_gpu(self) -> bool:
        """Always False."""
        return False

    def gpu_device_id(self) -> int:
        """The number that `enable_use_gpu` was given."""
        return self._gpu_device_id

    def memory_pool_init_size_mb(self) -> int:
        """The size that `enable_use_gpu` was given."""
        return self._memory_pool_mb

    def enable_xpu(self, l3_workspace_size: int = 16 << 20, **options: object) -> None:
        """Accepted with a warning."""
        warn_once("enable_xpu", _ON_DEVICES)

    def use_xpu(self) -> bool:
        """Always False."""
        return False

    def enable_custom_device(self, device_type: str, device_id: int = 0) -> None:
        """Accepted with a warning."""
        warn_once("enable_custom_device", _ON_DEVICES)

    def enable_onnxruntime(self) -> None:
        """Run on the device ``onnxruntime`` what those that `install` was given do not take."""
        self._onnxruntime = True

    def disable_onnxruntime(self) -> None:
        """Take `enable_onnxruntime` back."""
        self._onnxruntime = False

    def onnxruntime_enabled(self) -> bool:
        """Whether ONNX Runtime was asked for."""
        return self._onnxruntime

    def enable_lite_engine(
        self,
        precision_mode: PrecisionType = PrecisionType.Float32,
        zero_copy: bool = False,
        passes_filter: Sequence[str] = (),
        ops_filter: Sequence[str] = (),
    ) -> None:
        """Accepted with a warning."""
        warn_once("enable_lite_engine", _ON_DEVICES)

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
        """Accepted with a warning."""
        warn_once("enable_tensorrt_engine", _ON_DEVICES)

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
        """Accepted with a warning: any shape that the model takes can be fed."""
        warn_once("set_trt_dynamic_shape_info", _ON_DEVICES)

    def collect_shape_range_info(self, shape_range_info_path: str) -> None:
        """Accepted with a warning; writes no file."""
        warn_once("collect_shape_range_info", "there is no TensorRT to collect shapes for")

    def enable_tuned_tensorrt_dynamic_shape(
        self, shape_range_info_path: str = "", allow_build_at_runtime: bool = True
    ) -> None:
        """Accepted with a warning."""
        warn_once("enable_tuned_tensorrt_dynamic_shape", _ON_DEVICES)
