"""Writes optimised models under the names that deployed code looks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import lite
from lite.errors import ConfigError, ModelParseError

PROTOBUF_NAMES = {"inference.pdmodel": "model", "inference.pdiparams": "params"}
"""Our names of the two files → Paddle-Lite's."""

_SEPARATE = "__model__"


def save_optimized(predictor: lite.Predictor, folder: Path, names: Mapping[str, str] | None = None) -> None:
    """Write the optimised program and its parameters into a folder, under other `names` where given.

    Raises `ConfigError` where the folder has another model that would be overwritten or be loaded
    instead, and `ModelParseError` when the files cannot be written.
    """
    source = predictor.config.source.path
    own = None if source is None else source if source.is_dir() else source.parent
    if (own is not None and own.resolve() == folder.resolve()) or (folder / _SEPARATE).exists():
        raise ConfigError(f"{folder}: there is a model already; save the optimised one elsewhere")
    for path in lite.save_program(predictor.optimized_program(), folder):
        try:
            path.replace(path.with_name((names or {}).get(path.name, path.name)))
        except OSError as error:
            raise ModelParseError(f"{path}: cannot be renamed: {error.strerror}") from error
