"""The part of Config that requests accelerators and other libraries."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.compat.paddle_inference.enums import PrecisionType
from lite.compat.paddle_inference.environment import ON_DEVICES, warn_ignored
from lite.compat.paddle_inference.tensorrt import TensorRt
from lite.compat.paddle_inference.xpu import XpuRequests

_OPENVINO = {
    PrecisionType.Half: "openvino{precision=f16}",
    PrecisionType.Bfloat16: "openvino{precision=bf16}",
}
"""The device for a precision; others compute in float32."""


class AcceleratorRequests(TensorRt, XpuRequests):
    """Accepts every request, most with one warning, like a Paddle that was built without the library."""

    def __init__(self) -> None:
        TensorRt.__init__(self)
        XpuRequests.__init__(self)
        self._openvino = ""
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
        warn_ignored("enable_use_gpu", ON_DEVICES)

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

    def enable_custom_device(self, device_type: str, device_id: int = 0) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_custom_device", ON_DEVICES)

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
        warn_ignored("enable_lite_engine", ON_DEVICES)

    def lite_engine_enabled(self) -> bool:
        """Always False."""
        return False

    def enable_openvino_engine(self, inference_precision: PrecisionType = PrecisionType.Float32) -> None:
        """Add the device ``openvino`` after the devices of `install`."""
        self._openvino = _OPENVINO.get(inference_precision, "openvino")

    def openvino_engine_enabled(self) -> bool:
        """Whether `enable_openvino_engine` was called."""
        return bool(self._openvino)

    def requested_devices(self) -> list[str]:
        """The devices that a program asked for."""
        return [
            *(["onnxruntime"] if self._onnxruntime else []),
            *([self._openvino] if self._openvino else []),
        ]

    def enable_ort_optimization(self) -> None:
        """Has no effect: the device ``onnxruntime`` always optimises."""

    def enable_cinn(self) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_cinn", "litebridge compiles its own kernels where numba is installed")

    def enable_low_precision_io(self, x: bool = True) -> None:
        """Has no effect; logs a warning."""
        if x:
            warn_ignored("enable_low_precision_io", "inputs and outputs have the types of the model")

    def exp_enable_mixed_precision_ops(self, ops: Collection[str]) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("exp_enable_mixed_precision_ops", "ops run in the precision in which they were saved")

    def exp_disable_mixed_precision_ops(self, ops: Collection[str]) -> None:
        """Has no effect: ops run in the precision in which they were saved."""

    def exp_enable_use_cutlass(self) -> None:
        """Has no effect: CUDA is not used."""

    def exp_sparse_conv_using_buffer(
        self, kernels: Sequence[Sequence[int]], strides: Sequence[Sequence[int]]
    ) -> None:
        """Has no effect: CUDA is not used."""

    def fraction_of_gpu_memory_for_pool(self) -> float:
        """The part of the GPU's memory that Paddle would reserve: 0 without a GPU."""
        return 0.0
