"""MobileConfig of ``paddlelite.lite``: an optimised model, which runs without further passes."""

from __future__ import annotations

import os
from pathlib import Path

import lite
from lite.artifact.sniff import is_artifact
from lite.compat.paddlelite.environment import usable_devices
from lite.compat.paddlelite.hardware import HardwareSettings
from lite.compat.settings import first_bytes
from lite.errors import ConfigError
from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers

NAIVE_SUFFIX = ".nb"
"""The suffix of a naive buffer, Paddle-Lite's own model file."""


class MobileConfig(HardwareSettings):
    """A model that litebridge's ``save_optimized_model`` or ``Opt`` wrote, a naive buffer of Paddle-Lite
    (``.nb``), or an artifact (``.lbm``).

    A model in any other form runs without optimisation; a naive buffer is optimised again for this processor.
    If both a path and bytes are set, the bytes are used.
    """

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self._buffers: tuple[bytes, bytes | None] | None = None

    def set_model_from_file(self, path: str) -> None:
        """Name an artifact, a naive buffer, the folder of an optimised model, or its program's file.

        Paddle-Lite saves a model as the file ``<name>.nb``, litebridge as the folder ``<name>``: if the
        file does not exist, the folder is used.
        """
        self._path = path

    def set_model_from_buffer(self, model: bytes) -> None:
        """Set a naive buffer or a program without parameters as bytes.

        `set_model_buffer` sets a program with parameters.
        """
        self._buffers = (model, None)

    def set_model_dir(self, model_dir: str) -> None:
        """Name the folder of the model."""
        self._path = model_dir

    def model_dir(self) -> str:
        """The path that was set last, or ""."""
        return self._path

    def set_model_buffer(self, model: bytes, model_size: int, param: bytes, param_size: int) -> None:
        """Set program and parameters as bytes, each with the number of bytes to use."""
        self._buffers = (
            first_bytes("model", model, model_size),
            first_bytes("param", param, param_size),
        )

    def is_model_from_memory(self) -> bool:
        """Whether the model was set as bytes."""
        return self._buffers is not None

    def to_lite(self) -> lite.Config:
        """This config as a `lite.Config`.

        Raises `ConfigError` if it names no model.
        """
        if self._buffers is None and not self._path:
            raise ConfigError("MobileConfig names no model; call set_model_from_file")
        path = None if self._buffers else _model_path(self._path)
        source = ModelSource(path, model=self._buffers[0] if self._buffers else None)
        return lite.Config(
            model_dir=path,
            model_buffer=self._buffers[0] if self._buffers else None,
            params_buffer=self._buffers[1] if self._buffers else None,
            devices=usable_devices(self._device_names),
            # An artifact has its own plan, and the kernels of a naive buffer are those of another processor.
            passes=None if is_artifact(source) or _is_naive_buffer(source) else (),
            threads=self._threads,
            cache_dir=self._model_cache_dir or None,
        )


def _model_path(path: str) -> Path:
    """The path of the model's file or directory."""
    named = Path(path)
    if named.suffix == NAIVE_SUFFIX and not os.path.exists(named) and os.path.isdir(named.with_suffix("")):
        return named.with_suffix("")
    return named


def _is_naive_buffer(source: ModelSource) -> bool:
    load_parsers()
    return PARSERS.get("paddlelite_nb").sniff(source)
