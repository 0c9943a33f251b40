"""The files or buffers of the model: the part of Config that names them, and their conversion."""

from __future__ import annotations

import os
from collections.abc import Collection

from lite.compat.paddle_inference.enums import PlaceType, PrecisionType
from lite.compat.settings import first_bytes
from lite.errors import ConfigError


class ModelFiles:
    """A folder, two files, or two buffers, classic or PIR; nothing is read here."""

    def __init__(self) -> None:
        self._model_dir = self._prog_file = self._params_file = ""
        self._buffers: tuple[bytes, bytes] | None = None

    def set_model(
        self, model: str | os.PathLike[str], params_file: str | os.PathLike[str] | None = None
    ) -> None:
        """Name the model: a folder, the files of program and parameters, or a folder and a prefix.

        ``set_model("dir", "inference")`` names ``inference.json`` or, without that file,
        ``inference.pdmodel``, and ``inference.pdiparams`` in the folder.
        """
        self._buffers = None
        self._model_dir = self._prog_file = self._params_file = ""
        path = os.fspath(model)
        if params_file is None:
            self._model_dir = path
        elif os.path.isdir(path):
            prefix = os.path.join(path, os.fspath(params_file))
            is_pir = os.path.isfile(f"{prefix}.json")
            self._prog_file = f"{prefix}.json" if is_pir else f"{prefix}.pdmodel"
            self._params_file = f"{prefix}.pdiparams"
        else:
            self._prog_file, self._params_file = path, os.fspath(params_file)

    def set_prog_file(self, path: str) -> None:
        """Name the program's file."""
        self._buffers, self._model_dir, self._prog_file = None, "", path

    def set_params_file(self, path: str) -> None:
        """Name the file with all parameters."""
        self._params_file = path

    def set_model_buffer(self, prog: bytes, prog_size: int, params: bytes, params_size: int) -> None:
        """Set program and parameters as bytes, each with the number of bytes to use."""
        buffers = first_bytes("prog", prog, prog_size), first_bytes("params", params, params_size)
        self._model_dir = self._prog_file = self._params_file = ""
        self._buffers = buffers

    def model_dir(self) -> str:
        """The model's folder, or ""."""
        return self._model_dir

    def prog_file(self) -> str:
        """The program's file, or ""."""
        return self._prog_file

    def params_file(self) -> str:
        """The parameters' file, or ""."""
        return self._params_file

    def model_from_memory(self) -> bool:
        """Whether the model was set as bytes."""
        return self._buffers is not None


def convert_to_mixed_precision(
    model_file: str,
    params_file: str,
    mixed_model_file: str,
    mixed_params_file: str,
    mixed_precision: PrecisionType,
    backend: PlaceType,
    keep_io_types: bool = True,
    black_list: Collection[str] = (),
    white_list: Collection[str] = (),
) -> None:
    """Always raises `ConfigError`: litebridge runs a model in the precision in which it was saved."""
    raise ConfigError(
        f"{model_file}: litebridge does not support convert_to_mixed_precision (to {mixed_precision.name}); "
        "run the model in its own precision, or convert it with Paddle"
    )
