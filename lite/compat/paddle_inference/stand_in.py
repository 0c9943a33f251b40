"""Puts this package under Paddle's module names, and takes it away again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from lite.compat.paddle_inference import device, enums, mixed_precision, settings, tensor, version
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.predictor import Predictor, create_predictor
from lite.compat.paddle_inference.predictor_pool import PredictorPool
from lite.errors import PluginError

ROOT = "paddle"

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


class _StandIn(ModuleType):
    """A module that `install` made."""


def install(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Make ``import paddle``, ``paddle.inference`` and ``paddle.device`` find this package.

    `devices` are as in `lite.Config`; `threads` counts for Configs that set none.  Installing again
    replaces these settings for predictors that are created afterwards.

    Raises `PluginError` when the real package is imported already, `ConfigError` for wrong arguments.
    """
    real = [name for name in _loaded() if not isinstance(sys.modules[name], _StandIn)]
    if real:
        raise PluginError(
            f"the real {ROOT} is imported already ({real[0]}, from {_origin(sys.modules[real[0]])}); call "
            "paddle_inference.install() before anything imports it, or in a process of its own"
        )
    settings.use_settings(devices, threads)
    if _loaded():
        return
    for name, members in _MEMBERS.items():
        module = _module(name, members)
        parent, _, child = name.rpartition(".")
        if parent:
            vars(sys.modules[parent])[child] = module
        sys.modules[name] = module


def uninstall() -> None:
    """Undo `install`; the next ``import paddle`` finds the real package or none.

    Modules that imported the stand-in keep it.
    """
    for name in _loaded():
        if isinstance(sys.modules[name], _StandIn):
            del sys.modules[name]
    settings.use_settings()


def _loaded() -> list[str]:
    """Modules of Paddle, real or not, that are imported."""
    names = [name for name in sys.modules if name == ROOT or name.startswith(f"{ROOT}.")]
    return [name for name in names if sys.modules[name] is not None]


def _origin(module: ModuleType) -> str:
    return module.__spec__.origin or "unknown" if module.__spec__ else "unknown"


def _module(name: str, members: Sequence[Callable[..., object]]) -> ModuleType:
    module = _StandIn(name, "litebridge's stand-in for Paddle; see lite.compat.paddle_inference.")
    module.__spec__ = ModuleSpec(name, None, origin="litebridge", is_package=True)
    module.__path__ = []
    module.__package__ = name
    vars(module).update({member.__name__: member for member in members})
    if name == ROOT:
        vars(module)["__version__"] = version.PADDLE_VERSION
    return module
