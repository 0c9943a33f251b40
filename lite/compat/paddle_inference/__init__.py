"""The part of ``paddle.inference`` that deployed programs use, implemented by litebridge.

Either import from here, or `install` these modules under Paddle's names and run a program that does
``from paddle import inference`` unchanged:

>>> from lite.compat import paddle_inference
>>> paddle_inference.install()
>>> from paddle import inference
>>> inference.Config is paddle_inference.Config
True
>>> paddle_inference.uninstall()

Names, arguments and defaults are those of Paddle 3.3.  Settings for hardware and libraries that
litebridge does not use are accepted, with one warning each.  Around ``paddle.inference``, `install` provides
what deployed programs import: ``paddle.Tensor`` and functions of arrays, ``paddle.jit.load``,
``paddle.vision.transforms``, ``paddle.io``, versions and devices.  Layers of ``paddle.nn`` can be
imported, and are refused when they are used.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from lite.compat.paddle_inference.internal_utils import InternalUtils
from lite.compat.paddle_inference.model_files import convert_to_mixed_precision
from lite.compat.paddle_inference.paddle.modules import MODULES
from lite.compat.paddle_inference.pass_builder import PassStrategy
from lite.compat.paddle_inference.predictor import Predictor, PredictorPool, create_predictor
from lite.compat.paddle_inference.tensor import Tensor
from lite.compat.paddle_inference.xpu import XpuConfig
from lite.compat.shim import ModuleShim

__all__ = [
    "Config",
    "DataType",
    "InternalUtils",
    "PassStrategy",
    "PlaceType",
    "PrecisionType",
    "Predictor",
    "PredictorPool",
    "Tensor",
    "XpuConfig",
    "convert_to_mixed_precision",
    "create_predictor",
    "get_num_bytes_of_data_type",
    "get_trt_compile_version",
    "get_trt_runtime_version",
    "get_version",
    "install",
    "uninstall",
]

_SHIM = ModuleShim("paddle", "paddle_inference", MODULES, environment.PADDLE_VERSION)


def install(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Make ``import paddle`` and its modules find this package.

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
