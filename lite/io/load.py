"""load_program: reads a model of any format."""

from __future__ import annotations

import os
from pathlib import Path

from lite.artifact.sniff import is_artifact
from lite.config import Config, PathLike
from lite.errors import ConfigError, ModelParseError
from lite.ir.program import Program
from lite.plugin.format import PARSERS, ModelSource, file_mapping
from lite.plugin.loader import load_parsers


def load_program(model: PathLike | Config | ModelSource) -> Program:
    """Read a model, without optimising it: in a folder, in a file, or the one that a Config names.

    The format (Paddle, ONNX, PNNX, TFLite, or that of a plug-in) is recognised by content, not by file names.
    Weights are read-only arrays, mapped from the file if possible.

    Raises `ModelParseError` for a missing or damaged file and for an unknown format, and `ConfigError` for an
    argument that is not a path.
    """
    if isinstance(model, Config):
        with file_mapping(model.mapping):
            return load_program(model.source)
    source = model if isinstance(model, ModelSource) else ModelSource(as_path(model))
    if is_artifact(source):
        from lite.artifact.artifact import Artifact  # most models are none

        return Artifact.open(source).origin()
    load_parsers()
    for name in PARSERS:
        parser = PARSERS.get(name)
        if parser.sniff(source):
            return parser.parse(source)
    # No format recognises the model: the parser of the most common one explains what is wrong.
    if "paddle" in PARSERS:
        return PARSERS.get("paddle").parse(source)
    raise ModelParseError(f"{source}: no model format recognises it; formats: {', '.join(PARSERS) or 'none'}")


def as_path(argument: object) -> Path:
    """A user's argument as a path; raises `ConfigError` for anything else."""
    if isinstance(argument, str | os.PathLike):
        return Path(argument)
    raise ConfigError(f"expected a path, got {argument!r}")
