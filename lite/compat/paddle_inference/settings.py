"""What `install` was told: where and how the stand-in's predictors run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lite.errors import ConfigError


@dataclass(frozen=True)
class Settings:
    """`devices` as in `lite.Config`; `threads` for Configs that set none themselves."""

    devices: tuple[str, ...] = ()
    threads: int = 1


_current = Settings()


def use_settings(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Settings for predictors that are created from now on; raises `ConfigError` for values out of range."""
    global _current
    if isinstance(devices, str):
        raise ConfigError(f"devices: expected a list of names, got the text {devices!r}")
    if threads is not None and threads < 1:
        raise ConfigError(f"threads: expected 1 or more, got {threads}")
    _current = Settings(tuple(devices), threads or 1)


def current_settings() -> Settings:
    """The settings that hold now."""
    return _current
