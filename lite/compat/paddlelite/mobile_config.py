"""MobileConfig of ``paddlelite.lite``: an optimised model, run as it is."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import lite
from lite.compat.model_buffer import first_bytes
from lite.compat.paddlelite.devices import usable_devices
from lite.compat.paddlelite.hardware import HardwareSettings
from lite.compat.paddlelite.naive_buffer import HEADER_BYTES, refuse_naive_buffer
from lite.errors import ConfigError

NAIVE_SUFFIX = ".nb"


class MobileConfig(HardwareSettings):
    """A model that ``save_optimized_model`` or ``Opt`` wrote here; any other model runs unoptimised.

    Paddle-Lite's own ``.nb`` files are refused with advice.  Of several ways to name the model, bytes
    come first.
    """

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self._buffers: tuple[bytes, bytes | None] | None = None

    def set_model_from_file(self, path: str) -> None:
        """Name the directory of an optimised model, or its program with the parameters beside it.

        Paddle-Lite saves to ``<name>.nb`` what is the directory ``<name>`` here: where there is no such
        file, the directory is taken.
        """
        self._path = path

    def set_model_from_buffer(self, model: bytes) -> None:
        """Give a program without parameters as bytes; see `set_model_buffer` for one with parameters."""
        self._buffers = (model, None)

    def set_model_dir(self, model_dir: str) -> None:
        """Name the directory of the model."""
        self._path = model_dir

    def model_dir(self) -> str:
        """The path that was given last, or ""."""
        return self._path

    def set_model_buffer(self, model: bytes, model_size: int, param: bytes, param_size: int) -> None:
        """Give program and parameters as bytes, with how many of them count."""
        self._buffers = (
            first_bytes("model", model, model_size),
            first_bytes("param", param, param_size),
        )

    def is_model_from_memory(self) -> bool:
        """Whether the model was given as bytes."""
        return self._buffers is not None

    def to_lite(self) -> lite.Config:
        """The same as a Config of ours; raises `ConfigError` where no model is named, `ModelParseError`."""
        if self._buffers is not None:
            refuse_naive_buffer(self._buffers[0][:HEADER_BYTES], "model buffer")
        elif not self._path:
            raise ConfigError("MobileConfig names no model; call set_model_from_file")
        return lite.Config(
            model_dir=None if self._buffers else _existing(self._path),
            model_buffer=self._buffers[0] if self._buffers else None,
            params_buffer=self._buffers[1] if self._buffers else None,
            devices=usable_devices(self._device_names),
            passes=(),
            threads=self._threads,
            cache_dir=self._model_cache_dir or None,
        )


def _existing(path: str) -> Path:
    """Where the model is; raises `ModelParseError` for a naive buffer."""
    named = Path(path)
    if os.path.isfile(named):
        # A file that cannot be read is named by the parser.
        with contextlib.suppress(OSError), open(named, "rb") as file:
            refuse_naive_buffer(file.read(HEADER_BYTES), path)
    elif named.suffix == NAIVE_SUFFIX and not os.path.exists(named) and os.path.isdir(named.with_suffix("")):
        return named.with_suffix("")
    return named
