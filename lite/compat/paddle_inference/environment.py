"""The environment that a program asks about: settings of `install`, hardware and versions."""

from __future__ import annotations

from collections.abc import Sequence

from lite import __version__
from lite.compat.settings import WarnIgnored
from lite.dataclass import dataclass
from lite.errors import ConfigError

PADDLE_VERSION = "3.3.1"
"""The release of Paddle whose inference API is imitated."""

_CPU = "cpu"

ON_DEVICES = "the model runs on the host and on the devices of install()"

warn_ignored = WarnIgnored("paddle.inference")


@dataclass(frozen=True)
class Settings:
    """`devices` as in `lite.Config`; `threads` for Configs that set no number."""

    devices: tuple[str, ...] = ()
    threads: int = 1


_current = Settings()


def use_settings(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Set the settings of predictors that are created later; raises `ConfigError` for wrong values."""
    global _current
    if isinstance(devices, str):
        raise ConfigError(f"devices: expected a list of names, got the string {devices!r}")
    if threads is not None and threads < 1:
        raise ConfigError(f"threads: expected 1 or more, got {threads}; leave it out for 1")
    _current = Settings(tuple(devices), threads or 1)


def current_settings() -> Settings:
    """The settings of predictors that are created now."""
    return _current


def is_compiled_with_cuda() -> bool:
    """Always False."""
    return False


def is_compiled_with_rocm() -> bool:
    """Always False."""
    return False


def is_compiled_with_xpu() -> bool:
    """Always False."""
    return False


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Always False."""
    return False


def is_compiled_with_cinn() -> bool:
    """Always False."""
    return False


def is_compiled_with_distribute() -> bool:
    """Always False."""
    return False


def is_compiled_with_ipu() -> bool:
    """Always False."""
    return False


def get_all_device_type() -> list[str]:
    """Always ``["cpu"]``."""
    return [_CPU]


def get_all_custom_device_type() -> list[str]:
    """Always empty."""
    return []


def get_available_device() -> list[str]:
    """Always ``["cpu"]``."""
    return [_CPU]


def get_available_custom_device() -> list[str]:
    """Always empty."""
    return []


def get_cudnn_version() -> None:
    """Always None: cuDNN is not used."""


def synchronize(device: object = None) -> None:
    """Has no effect: a run ends when its results are there."""


def empty_cache() -> None:
    """Has no effect: CUDA is not used."""


def get_device() -> str:
    """Always ``"cpu"``."""
    return _CPU


def set_device(device: str) -> str:
    """Always ``"cpu"``; logs a warning for another device."""
    if device != _CPU:
        warn_ignored(f"set_device({device!r})", "pass the names of devices to install(devices=[…])")
    return _CPU


def device_count() -> int:
    """The number of CUDA devices: always 0."""
    return 0


def get_version() -> str:
    """The versions of the API and of litebridge, one per line."""
    return f"version: {PADDLE_VERSION}\nengine: litebridge {__version__}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """The version of TensorRT at build time: (0, 0, 0), as in a Paddle without TensorRT."""
    return (0, 0, 0)


def get_trt_runtime_version() -> tuple[int, int, int]:
    """The version of TensorRT at run time: (0, 0, 0), as in a Paddle without TensorRT."""
    return (0, 0, 0)
