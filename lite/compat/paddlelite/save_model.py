"""Writes optimised models under the names that deployed code looks for."""

from __future__ import annotations

from pathlib import Path

import lite
from lite.errors import ModelParseError
from lite.ir.program import Program

_PROTOBUF_NAMES = {"inference.pdmodel": "model", "inference.pdiparams": "params"}


def save_combined(program: Program, directory: Path) -> None:
    """Write ``inference.pdmodel`` and, where there are parameters, ``inference.pdiparams``."""
    lite.save_program(program, directory)


def save_protobuf(program: Program, directory: Path) -> None:
    """Write ``model`` and ``params``, Paddle-Lite's names of the same two files.

    Raises `ModelParseError` when they cannot be written.
    """
    for path in lite.save_program(program, directory):
        try:
            path.replace(path.with_name(_PROTOBUF_NAMES[path.name]))
        except OSError as error:
            raise ModelParseError(f"{path}: cannot be renamed: {error.strerror}") from error
