"""The part of Config about XPUs and IPUs, which litebridge does not use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from lite.compat.paddle_inference.environment import ON_DEVICES, warn_ignored
from lite.dataclass import dataclass


@dataclass
class XpuConfig:
    """Settings of an XPU, by Paddle's names and with its defaults; none has an effect."""

    context: object = None
    context_gm_size: int = -1
    conv_autotune_file: str = ""
    conv_autotune_file_writeback: bool = False
    conv_autotune_level: int = 0
    device_id: int = 0
    fc_autotune_file: str = ""
    fc_autotune_file_writeback: bool = False
    fc_autotune_level: int = 0
    gemm_compute_precision: int = 1
    l3_autotune_size: int = 0
    l3_ptr: object = None
    l3_size: int = 0
    quant_post_dynamic_activation_method: int = 0
    quant_post_dynamic_op_types: list[str] = field(default_factory=list)
    quant_post_dynamic_weight_precision: int = 1
    quant_post_static_gelu_out_threshold: float = 10.0
    stream: object = None
    transformer_encoder_adaptive_seqlen: bool = True
    transformer_softmax_optimize_level: int = 0


class XpuRequests:
    """Accepts every request with one warning each, like a Paddle that was built for the CPU."""

    def __init__(self) -> None:
        self._xpu = XpuConfig()

    def enable_xpu(self, l3_size: int = 16 << 20, l3_locked: bool = False, **options: object) -> None:
        """Has no effect except on `xpu_config`; logs a warning."""
        self._xpu.l3_size = l3_size
        warn_ignored("enable_xpu", ON_DEVICES)

    def use_xpu(self) -> bool:
        """Always False."""
        return False

    def set_xpu_device_id(self, device_id: int = 0) -> None:
        """Has no effect except on `xpu_device_id`."""
        self._xpu.device_id = device_id

    def xpu_device_id(self) -> int:
        """The argument of `set_xpu_device_id`."""
        return self._xpu.device_id

    def set_xpu_config(self, config: XpuConfig) -> None:
        """Has no effect except on `xpu_config`; logs a warning."""
        self._xpu = config
        warn_ignored("set_xpu_config", ON_DEVICES)

    def xpu_config(self) -> XpuConfig:
        """The argument of `set_xpu_config`."""
        return self._xpu

    def enable_ipu(
        self,
        ipu_device_num: int = 1,
        ipu_micro_batch_size: int = 1,
        ipu_enable_pipelining: bool = False,
        ipu_batches_per_step: int = 1,
    ) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_ipu", ON_DEVICES)

    def set_ipu_config(self, ipu_enable_fp16: bool = False, *settings: object, **more: object) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("set_ipu_config", ON_DEVICES)

    def set_ipu_custom_info(
        self,
        ipu_custom_ops_info: Sequence[Sequence[str]] = (),
        ipu_custom_patterns: Mapping[str, bool] | None = None,
    ) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("set_ipu_custom_info", ON_DEVICES)

    def load_ipu_config(self, config_path: str) -> None:
        """Reads nothing; logs a warning."""
        warn_ignored("load_ipu_config", ON_DEVICES)
