"""load_program: reads a model of any format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from lite.artifact.sniff import is_artifact
from lite.config import Config, PathLike
from lite.errors import ConfigError, ModelParseError
from lite.io.content import likely_content
from lite.ir.limits import Limits
from lite.ir.program import Program
from lite.plugin.format import PARSERS, ModelParser, ModelSource, file_mapping
from lite.plugin.loader import parsers_in_turn

_SHOWN = 8
"""How many names of files a message lists."""

_MODEL_ENDINGS = (".onnx", ".tflite", ".pdmodel", ".pnnx.param", ".nb")


def load_program(model: PathLike | Config | ModelSource) -> Program:
    """Read a model, without optimising it: in a folder, in a file, or the one that a Config names.

    The format (Paddle, Paddle-Lite, ONNX, PNNX, TFLite, or that of a plug-in) is recognised by content, not
    by file names.  Weights are read-only arrays, mapped from the file if possible.

    Raises `ModelParseError` for a missing or damaged file and for an unknown format, and `ConfigError` for an
    argument that is not a path.
    """
    if isinstance(model, Config):
        with file_mapping(model.mapping):
            return _load(model.source, model.limits)
    return _load(model if isinstance(model, ModelSource) else ModelSource(as_path(model)), Limits())


def _load(source: ModelSource, limits: Limits) -> Program:
    if is_artifact(source):
        from lite.artifact.artifact import Artifact  # most models are none

        return Artifact.open(source, limits).origin()
    for parser in _parsers():
        if parser.sniff(source):
            return parser.parse(source)
    formats = ", ".join(sorted(PARSERS)) or "none"
    content = likely_content(source)
    if content is not None:
        raise ModelParseError(f"{source}: this looks like {content} (formats that were tried: {formats})")
    if source.path is not None and source.path.is_dir():
        raise ModelParseError(_no_model(source.path, formats))
    # The parser of the most common format explains what is wrong.
    if "paddle" in PARSERS:
        try:
            return PARSERS.get("paddle").parse(source)
        except ModelParseError as error:
            if source.path is not None and not source.path.exists():
                raise
            raise ModelParseError(f"{error} (formats that were tried: {formats})") from error
    raise ModelParseError(f"{source}: no model format recognises it; formats: {formats}")


def _parsers() -> Iterator[ModelParser]:
    """All parsers; a file of parsers is imported when none of those before it was right."""
    tried: set[str] = set()
    for _ in chain([None], parsers_in_turn()):
        for name in PARSERS:
            if name not in tried:
                tried.add(name)
                yield PARSERS.get(name)


def _no_model(folder: Path, formats: str) -> str:
    """The message about a folder in which no parser found its model."""
    try:
        names = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir())
    except OSError as error:
        return f"{folder}: cannot be read: {error.strerror}; check its permissions"
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    models = [name for name in names if name.endswith(_MODEL_ENDINGS)]
    if len(models) > 1:
        return f"{folder}: {len(models)} models here: {', '.join(models[:_SHOWN])}; name one of them"
    return (
        f"{folder}: no model here; looked for inference.json or *.pdmodel with *.pdiparams, __model__, one "
        f"*.onnx, *.tflite, *.pnnx.param, *.nb; found {shown or 'nothing'}; name the model's file or folder "
        f"(formats that were tried: {formats})"
    )


def as_path(argument: object) -> Path:
    """A user's argument as a path; raises `ConfigError` for anything else."""
    if isinstance(argument, str | os.PathLike):
        return Path(argument)
    raise ConfigError(f"expected a path, got {argument!r}; name a model's file or folder")
