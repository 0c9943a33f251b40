"""MobileConfig of ``paddlelite.lite``: an optimised model, which runs without further passes."""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

import lite
from lite.artifact.sniff import is_artifact
from lite.compat.paddlelite.environment import usable_devices
from lite.compat.paddlelite.hardware import HardwareSettings
from lite.compat.settings import first_bytes
from lite.errors import ConfigError, ModelParseError
from lite.plugin.format import ModelSource

NAIVE_SUFFIX = ".nb"
"""The suffix of a naive buffer, Paddle-Lite's own model file."""

_NAIVE_HEADER = struct.Struct("<H16s")
NAIVE_HEADER_BYTES = _NAIVE_HEADER.size
"""The number of leading bytes that identify a naive buffer."""

_META_VERSIONS = range(3)


class MobileConfig(HardwareSettings):
    """A model that litebridge's ``save_optimized_model`` or ``Opt`` wrote, or an artifact (``.lbm``).

    Another model runs unoptimised.

    A naive buffer of Paddle-Lite raises `ModelParseError`.  If the model is set more than once, bytes take
    precedence over a path.
    """

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self._buffers: tuple[bytes, bytes | None] | None = None

    def set_model_from_file(self, path: str) -> None:
        """Name an artifact, the folder of an optimised model, or its program's file.

        Paddle-Lite saves a model as the file ``<name>.nb``, litebridge as the folder ``<name>``: if the
        file does not exist, the folder is used.
        """
        self._path = path

    def set_model_from_buffer(self, model: bytes) -> None:
        """Set a program without parameters as bytes; `set_model_buffer` sets one with parameters."""
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

        Raises `ConfigError` if it names no model, and `ModelParseError` for a naive buffer.
        """
        if self._buffers is not None:
            refuse_naive_buffer(self._buffers[0][:NAIVE_HEADER_BYTES], "model buffer")
        elif not self._path:
            raise ConfigError("MobileConfig names no model; call set_model_from_file")
        path = None if self._buffers else _model_path(self._path)
        source = ModelSource(path, model=self._buffers[0] if self._buffers else None)
        return lite.Config(
            model_dir=path,
            model_buffer=self._buffers[0] if self._buffers else None,
            params_buffer=self._buffers[1] if self._buffers else None,
            devices=usable_devices(self._device_names),
            # An artifact has its own plan.
            passes=None if is_artifact(source) else (),
            threads=self._threads,
            cache_dir=self._model_cache_dir or None,
        )


def _model_path(path: str) -> Path:
    """The path of the model's file or directory; raises `ModelParseError` for a naive buffer."""
    named = Path(path)
    if os.path.isfile(named):
        # The parser reports a file that cannot be read.
        with contextlib.suppress(OSError), open(named, "rb") as file:
            refuse_naive_buffer(file.read(NAIVE_HEADER_BYTES), path)
    elif named.suffix == NAIVE_SUFFIX and not os.path.exists(named) and os.path.isdir(named.with_suffix("")):
        return named.with_suffix("")
    return named


def refuse_naive_buffer(prefix: bytes, label: str) -> None:
    """Raise `ModelParseError` if the content of `label` begins like a naive buffer (``.nb``).

    A naive buffer begins with the number of its layout, 0 to 2, as a little-endian uint16, and with the
    version of Paddle-Lite that wrote it: up to 16 characters, padded with zeros.
    """
    if len(prefix) < NAIVE_HEADER_BYTES:
        return
    meta_version, padded = _NAIVE_HEADER.unpack_from(prefix)
    version = padded.rstrip(b"\0")
    if meta_version not in _META_VERSIONS or not version or not all(32 < byte < 127 for byte in version):
        return
    raise ModelParseError(
        f"{label}: this is a naive buffer (.nb, layout {meta_version}) of Paddle-Lite "
        f"{version.decode('ascii')}.  It contains kernels for one processor, and litebridge cannot read it.  "
        "Load the original model (*.pdmodel and *.pdiparams, or __model__) with CxxConfig, or save that "
        "model with save_optimized_model and load the result"
    )
