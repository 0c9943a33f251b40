"""The part of ``paddle.inference`` that deployed programs use, implemented by litebridge.

Either import from here, or `install` these modules under Paddle's names and run a program that does
``from paddle import inference`` unchanged:

>>> from lite.compat import paddle_inference
>>> paddle_inference.install()
>>> from paddle import inference
>>> inference.Config is paddle_inference.Config
True
>>> paddle_inference.uninstall()

Names, arguments and defaults are those of Paddle 2.6.  Settings for hardware and libraries that
litebridge does not use are accepted, with one warning each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.compat.paddle_inference import environment
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.enums import (
    DataType,
    PlaceType,
    PrecisionType,
    get_num_bytes_of_data_type,
)
from lite.compat.paddle_inference.environment import (
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)
from lite.compat.paddle_inference.model_files import convert_to_mixed_precision
from lite.compat.paddle_inference.pass_builder import PassStrategy
from lite.compat.paddle_inference.predictor import Predictor, PredictorPool, create_predictor
from lite.compat.paddle_inference.tensor import Tensor, to_tensor
from lite.compat.shim import ModuleShim, named

__all__ = [
    "Config",
    "DataType",
    "PassStrategy",
    "PlaceType",
    "PrecisionType",
    "Predictor",
    "PredictorPool",
    "Tensor",
    "convert_to_mixed_precision",
    "create_predictor",
    "get_num_bytes_of_data_type",
    "get_trt_compile_version",
    "get_trt_runtime_version",
    "get_version",
    "install",
    "uninstall",
]

_DEVICE: tuple[Callable[..., object], ...] = (
    environment.get_device,
    environment.is_compiled_with_cuda,
    environment.is_compiled_with_custom_device,
    environment.is_compiled_with_rocm,
    environment.is_compiled_with_xpu,
    environment.set_device,
)
_SHIM = ModuleShim(
    "paddle",
    "paddle_inference",
    {
        "paddle": named((*_DEVICE, to_tensor)),
        "paddle.device": named(_DEVICE),
        "paddle.device.cuda": named((environment.device_count,)),
        "paddle.inference": named(
            (
                Config,
                DataType,
                PlaceType,
                PrecisionType,
                Predictor,
                PredictorPool,
                Tensor,
                convert_to_mixed_precision,
                create_predictor,
                get_num_bytes_of_data_type,
                get_trt_compile_version,
                get_trt_runtime_version,
                get_version,
            )
        ),
    },
    environment.PADDLE_VERSION,
)


def install(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Make ``import paddle``, ``paddle.inference`` and ``paddle.device`` find this package.

    `devices` are as in `lite.Config`.  `threads` is the default for Configs that set no number.  A second
    call replaces both for predictors that are created later.

    Raises `PluginError` if the real package is already imported, and `ConfigError` for wrong arguments.
    """
    _SHIM.check()
    environment.use_settings(devices, threads)
    _SHIM.install()


def uninstall() -> None:
    """Undo `install`; the next ``import paddle`` finds the real package or none.

    Modules that imported the shim keep it.
    """
    _SHIM.uninstall()
    environment.use_settings()
