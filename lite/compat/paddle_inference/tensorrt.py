"""The part of Config about TensorRT: requests are kept and answered, and the model runs without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.compat.paddle_inference.enums import PrecisionType
from lite.compat.paddle_inference.environment import ON_DEVICES, warn_ignored

_OPTIMIZATION_LEVELS = range(6)


class TensorRt:
    """Accepts every request with one warning each, like a Paddle that was built without TensorRT."""

    def __init__(self) -> None:
        self._trt_precision = PrecisionType.Float32
        self._trt_level = 3
        self._shape_range_path = ""
        self._trt_shapes = self._trt_tuned = self._trt_build_at_runtime = False

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
        self._trt_precision = precision_mode
        warn_ignored("enable_tensorrt_engine", ON_DEVICES)

    def tensorrt_engine_enabled(self) -> bool:
        """Always False."""
        return False

    def tensorrt_precision_mode(self) -> PrecisionType:
        """The `precision_mode` of `enable_tensorrt_engine`."""
        return self._trt_precision

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape: Mapping[str, Sequence[int]] | None = None,
        max_input_shape: Mapping[str, Sequence[int]] | None = None,
        optim_input_shape: Mapping[str, Sequence[int]] | None = None,
        disable_trt_plugin_fp16: bool = False,
    ) -> None:
        """Has no effect; logs a warning.  Inputs may have any shape that the model accepts."""
        self._trt_shapes = bool(min_input_shape)
        warn_ignored("set_trt_dynamic_shape_info", ON_DEVICES)

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        """Whether `set_trt_dynamic_shape_info` got shapes."""
        return self._trt_shapes

    def collect_shape_range_info(self, shape_range_info_path: str) -> None:
        """Writes no file; logs a warning."""
        self._shape_range_path = shape_range_info_path
        warn_ignored("collect_shape_range_info", "TensorRT is not used, and no file is written")

    def shape_range_info_collected(self) -> bool:
        """Whether `collect_shape_range_info` was called."""
        return bool(self._shape_range_path)

    def shape_range_info_path(self) -> str:
        """The argument of `collect_shape_range_info`."""
        return self._shape_range_path

    def enable_tuned_tensorrt_dynamic_shape(
        self, shape_range_info_path: str = "", allow_build_at_runtime: bool = True
    ) -> None:
        """Has no effect; logs a warning."""
        self._trt_tuned, self._trt_build_at_runtime = True, allow_build_at_runtime
        warn_ignored("enable_tuned_tensorrt_dynamic_shape", ON_DEVICES)

    def tuned_tensorrt_dynamic_shape(self) -> bool:
        """Whether `enable_tuned_tensorrt_dynamic_shape` was called."""
        return self._trt_tuned

    def trt_allow_build_at_runtime(self) -> bool:
        """The last argument of `enable_tuned_tensorrt_dynamic_shape`."""
        return self._trt_build_at_runtime

    def set_tensorrt_optimization_level(self, level: int) -> None:
        """Has no effect except on `tensorrt_optimization_level`; a level below 0 or above 5 is not taken."""
        if level in _OPTIMIZATION_LEVELS:
            self._trt_level = level

    def tensorrt_optimization_level(self) -> int:
        """The argument of `set_tensorrt_optimization_level`."""
        return self._trt_level

    def enable_tensorrt_dla(self, dla_core: int = 0) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_tensorrt_dla", ON_DEVICES)

    def tensorrt_dla_enabled(self) -> bool:
        """Always False."""
        return False

    def enable_tensorrt_varseqlen(self) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_tensorrt_varseqlen", ON_DEVICES)

    def tensorrt_varseqlen_enabled(self) -> bool:
        """Always False."""
        return False

    def enable_tensorrt_explicit_quantization(self) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_tensorrt_explicit_quantization", ON_DEVICES)

    def tensorrt_explicit_quantization_enabled(self) -> bool:
        """Always False."""
        return False

    def enable_tensorrt_inspector(self, inspector_serialize: bool = False) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_tensorrt_inspector", "litebridge profile tells the time of each op")

    def tensorrt_inspector_enabled(self) -> bool:
        """Always False."""
        return False

    def enable_tensorrt_memory_optim(
        self, engine_memory_sharing: bool = True, sharing_identifier: int = 0
    ) -> None:
        """Has no effect: TensorRT is not used."""

    def mark_trt_engine_outputs(self, output_tensor_names: Sequence[str] = ()) -> None:
        """Has no effect: TensorRT is not used."""

    def exp_disable_tensorrt_ops(self, ops: Sequence[str]) -> None:
        """Has no effect: TensorRT is not used."""

    def exp_disable_tensorrt_subgraph(self, var_names: Sequence[str]) -> None:
        """Has no effect: TensorRT is not used."""

    def exp_disable_tensorrt_dynamic_shape_ops(self, x: bool) -> None:
        """Has no effect: TensorRT is not used."""

    def exp_specify_tensorrt_subgraph_precision(
        self, params_fp16: Sequence[str], params_int8: Sequence[str], outputs: Sequence[str]
    ) -> None:
        """Has no effect: TensorRT is not used."""
