"""Read and write models in any format."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from lite.config import Config, PathLike
from lite.errors import ConfigError, GraphError, ModelParseError, suggest
from lite.ir.program import Program
from lite.ops import SCHEMAS
from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers

_RUN_BY_THE_ENGINE = ("feed", "fetch")


def load_program(model: PathLike | Config | ModelSource) -> Program:
    """The program in a directory, a file, or what a Config names; the format is told by content.

    Raises `ModelParseError` when no format knows the content or the files are damaged, `ConfigError`
    for what is no path.
    """
    if isinstance(model, Config):
        source = model.source
    elif isinstance(model, ModelSource):
        source = model
    else:
        source = ModelSource(_path(model))
    load_parsers()
    for name in PARSERS:
        parser = PARSERS.get(name)
        if parser.sniff(source):
            return parser.parse(source)
    # No format recognised it, so the most likely one says what is wrong with it.
    if "paddle" in PARSERS:
        return PARSERS.get("paddle").parse(source)
    raise ModelParseError(f"{source}: no model format recognises it; formats: {', '.join(PARSERS) or 'none'}")


def save_program(
    program: Program,
    directory: PathLike,
    *,
    format: str = "paddle",
    combined: bool = True,
) -> list[Path]:
    """Write a program to a directory; the files written.

    `combined` puts all parameters in one file instead of one file each.  As ``onnx`` the program is
    cleaned and written op by op, to the directory or to a path that ends in ``.onnx``.

    Raises `ConfigError` for an unknown format and what is no path, `ModelParseError` for a program that
    the format cannot say.
    """
    if not isinstance(program, Program):
        raise ConfigError(f"save_program: expected a Program, got a {type(program).__name__}")
    # Imported here: passes and all that they need have no part in loading a model.
    from lite.io.export import export_program, find_writer

    if find_writer(format) is not None:
        return export_program(program, _path(directory), format=format).files
    load_parsers()
    parser = PARSERS.find(format)
    if parser is None:
        raise ConfigError(f"no model format is called {format!r}{suggest(str(format), PARSERS)}")
    return parser.save(program, _path(directory), combined=combined)


def _path(given: object) -> Path:
    if isinstance(given, str | os.PathLike):
        return Path(given)
    raise ConfigError(f"expected a path, got {given!r}")


def check_ops(program: Program) -> None:
    """Raise one `GraphError` that lists every op type without a schema, with counts and near names."""
    unknown = Counter(
        op.type
        for block in program.blocks
        for op in block.ops
        if op.type not in SCHEMAS and op.type not in _RUN_BY_THE_ENGINE
    )
    if unknown:
        listed = ", ".join(
            f"{name} ({count}x{suggest(name, SCHEMAS).replace(';', ',').rstrip('?')})"
            for name, count in sorted(unknown.items())
        )
        raise GraphError(
            f"{program.source}: {len(unknown)} op types are not supported: {listed}; "
            "`litebridge ops` lists what is, CONTRIBUTING.md says how to add one"
        )
