"""Reading models of any format."""

from __future__ import annotations

import os
from pathlib import Path

from lite.config import Config, PathLike
from lite.errors import ConfigError, ModelParseError
from lite.ir.program import Program
from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers


def load_program(model: PathLike | Config | ModelSource) -> Program:
    """The program in a directory, a file, or the model that a Config names; its content tells the format.

    Raises `ModelParseError` when no format recognises the content or the files are damaged, and
    `ConfigError` for an argument that is not a path.
    """
    if isinstance(model, Config):
        source = model.source
    elif isinstance(model, ModelSource):
        source = model
    else:
        source = ModelSource(as_path(model))
    load_parsers()
    for name in PARSERS:
        parser = PARSERS.get(name)
        if parser.sniff(source):
            return parser.parse(source)
    # No format recognises it: the parser of the commonest one explains what is wrong.
    if "paddle" in PARSERS:
        return PARSERS.get("paddle").parse(source)
    raise ModelParseError(f"{source}: no model format recognises it; formats: {', '.join(PARSERS) or 'none'}")


def as_path(given: object) -> Path:
    """A user's argument as a path; raises `ConfigError` for anything else."""
    if isinstance(given, str | os.PathLike):
        return Path(given)
    raise ConfigError(f"expected a path, got {given!r}")
