"""The environment that a program asks about: settings of `install`, versions, logging."""

# ruff: noqa: ARG001 - the arguments are ONNX Runtime's

from __future__ import annotations

import logging
from collections.abc import Sequence

from lite import __version__
from lite.compat.settings import WarnIgnored
from lite.dataclass import dataclass
from lite.errors import ConfigError

ONNXRUNTIME_VERSION = "1.32.0"
"""The release of ONNX Runtime whose Python API is imitated."""

warn_ignored = WarnIgnored("onnxruntime")

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)


@dataclass(frozen=True)
class Settings:
    """`devices` as in `lite.Config`; `threads` for sessions that set no number, None for all cores."""

    devices: tuple[str, ...] = ()
    threads: int | None = None


_current = Settings()


def use_settings(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Set the settings of sessions that are created later; raises `ConfigError` for wrong values."""
    global _current
    if isinstance(devices, str):
        raise ConfigError(f"devices: expected a list of names, got the string {devices!r}")
    if threads is not None and threads < 1:
        raise ConfigError(f"threads: expected 1 or more, got {threads}; leave it out for 1")
    _current = Settings(tuple(devices), threads)


def current_settings() -> Settings:
    """The settings of sessions that are created now."""
    return _current


def get_device() -> str:
    """Always ``"CPU"``."""
    return "CPU"


def get_version_string() -> str:
    """The version of the API."""
    return ONNXRUNTIME_VERSION


def get_build_info() -> str:
    """The versions of the API and of litebridge."""
    return f"ORT Build Info: API {ONNXRUNTIME_VERSION}, engine=litebridge {__version__}"


def set_default_logger_severity(severity: int) -> None:
    """Set the level of litebridge's loggers: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal."""
    if not 0 <= severity < len(_LEVELS):
        raise ConfigError(f"set_default_logger_severity: expected 0 to 4, got {severity}")
    logging.getLogger("lite").setLevel(_LEVELS[severity])


def set_default_logger_verbosity(verbosity: int) -> None:
    """Has no effect."""


def set_seed(seed: int) -> None:
    """Has no effect on ops that draw random numbers; logs a warning."""
    warn_ignored("set_seed", "random ops take their seeds from the model")


def enable_telemetry_events() -> None:
    """Has no effect: litebridge sends no reports."""


def disable_telemetry_events() -> None:
    """Has no effect: litebridge sends no reports."""


def preload_dlls(
    cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: str | None = None
) -> None:
    """Has no effect: CUDA is not used."""


def has_collective_ops() -> bool:
    """Always False."""
    return False


def get_ep_devices() -> list[object]:
    """Always empty: devices are named by `providers`."""
    return []


def set_global_thread_pool_sizes(intra_op_num_threads: int, inter_op_num_threads: int) -> None:
    """Has no effect; logs a warning."""
    warn_ignored("set_global_thread_pool_sizes", "set SessionOptions.intra_op_num_threads")
