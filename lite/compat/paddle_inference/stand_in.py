"""Puts this package under Paddle's module names, and takes it away again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.compat.paddle_inference import device, enums, mixed_precision, settings, tensor, version
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.predictor import Predictor, create_predictor
from lite.compat.paddle_inference.predictor_pool import PredictorPool
from lite.compat.stand_in import StandIn

_DEVICE: tuple[Callable[..., object], ...] = (
    device.get_device,
    device.is_compiled_with_cuda,
    device.is_compiled_with_custom_device,
    device.is_compiled_with_rocm,
    device.is_compiled_with_xpu,
    device.set_device,
)
_MEMBERS: dict[str, tuple[Callable[..., object], ...]] = {
    "paddle": (*_DEVICE, tensor.to_tensor),
    "paddle.device": _DEVICE,
    "paddle.device.cuda": (device.device_count,),
    "paddle.inference": (
        Config,
        Predictor,
        PredictorPool,
        create_predictor,
        enums.DataType,
        enums.PlaceType,
        enums.PrecisionType,
        enums.get_num_bytes_of_data_type,
        mixed_precision.convert_to_mixed_precision,
        tensor.Tensor,
        version.get_trt_compile_version,
        version.get_trt_runtime_version,
        version.get_version,
    ),
}
"""Modules, parents first, and what each has under its own name."""


STAND_IN = StandIn("paddle", "paddle_inference", _MEMBERS, version.PADDLE_VERSION)


def install(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Make ``import paddle``, ``paddle.inference`` and ``paddle.device`` find this package.

    `devices` are as in `lite.Config`; `threads` counts for Configs that set none.  Installing again
    replaces these settings for predictors that are created afterwards.

    Raises `PluginError` when the real package is imported already, `ConfigError` for wrong arguments.
    """
    STAND_IN.check()
    settings.use_settings(devices, threads)
    STAND_IN.install()


def uninstall() -> None:
    """Undo `install`; the next ``import paddle`` finds the real package or none.

    Modules that imported the stand-in keep it.
    """
    STAND_IN.uninstall()
    settings.use_settings()
