"""The part of Config that names the model."""

from __future__ import annotations

import os

from lite.compat.model_buffer import first_bytes


class ModelFiles:
    """A directory, or two files, or two buffers; nothing is read here."""

    def __init__(self) -> None:
        self._model_dir = self._prog_file = self._params_file = ""
        self._buffers: tuple[bytes, bytes] | None = None

    def set_model(
        self, model: str | os.PathLike[str], params_file: str | os.PathLike[str] | None = None
    ) -> None:
        """Name the model: a directory, or with `params_file` the program's file."""
        self._buffers = None
        self._model_dir = self._prog_file = self._params_file = ""
        if params_file is None:
            self._model_dir = os.fspath(model)
        else:
            self._prog_file, self._params_file = os.fspath(model), os.fspath(params_file)

    def set_prog_file(self, path: str) -> None:
        """Name the program's file."""
        self._buffers, self._model_dir, self._prog_file = None, "", path

    def set_params_file(self, path: str) -> None:
        """Name the file with all parameters."""
        self._params_file = path

    def set_model_buffer(self, prog: bytes, prog_size: int, params: bytes, params_size: int) -> None:
        """Give program and parameters as bytes, with how many of them count."""
        buffers = first_bytes("prog", prog, prog_size), first_bytes("params", params, params_size)
        self._model_dir = self._prog_file = self._params_file = ""
        self._buffers = buffers

    def model_dir(self) -> str:
        """The model's directory, or ""."""
        return self._model_dir

    def prog_file(self) -> str:
        """The program's file, or ""."""
        return self._prog_file

    def params_file(self) -> str:
        """The parameters' file, or ""."""
        return self._params_file

    def model_from_memory(self) -> bool:
        """Whether the model was given as bytes."""
        return self._buffers is not None
