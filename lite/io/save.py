"""save_program: writes a model as a Paddle program, or with the ops of another format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from lite.config import PathLike
from lite.errors import ConfigError, suggest
from lite.io.load import as_path
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import Shape
from lite.ops.program_graph import program_graph
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.passes.pipelines import CLEANUP, HEAD
from lite.plugin.format import MODEL_WRITERS, PARSERS, ModelWriter, Written
from lite.plugin.loader import load_parsers, load_writers


def save_program(
    program: Program,
    directory: PathLike,
    *,
    format: str = "paddle",
    combined: bool = True,
) -> list[Path]:
    """Write a program to a folder, which is created if needed; returns the files written.

    format: "paddle" writes the program as it is: loading it gives an equal program.  "onnx" and other formats
        with a writer get a cleaned-up program, op by op; `directory` may then be a file, such as ``m.onnx``.
    combined: put all parameters into one file; False writes one file for each.  For "paddle" only.

    Each file is written completely or not at all.  Raises `ConfigError` for an unknown format, an argument
    that is not a path or a folder with the suffix of another format, and `ModelParseError` for a program that
    the format cannot express.
    """
    if not isinstance(program, Program):
        raise ConfigError(f"save_program: expected a Program, got a {type(program).__name__}")
    if find_writer(format) is not None:
        return export_program(program, as_path(directory), format=format).files
    load_parsers()
    parser = PARSERS.find(format)
    if parser is None:
        raise ConfigError(f"unknown model format {format!r}{suggest(str(format), PARSERS)}")
    path = as_path(directory)
    other = next((name for name in MODEL_WRITERS if path.suffix == MODEL_WRITERS.get(name).suffix), None)
    if other is not None and not path.is_dir():
        raise ConfigError(
            f"{path}: a {format} model is written to a folder; name one without {path.suffix}, "
            f"or write format={other!r}"
        )
    return parser.save(program, path, combined=combined)


def export_program(
    program: Program,
    path: Path,
    *,
    format: str = "onnx",
    input_shapes: Mapping[str, Shape] | None = None,
    after_pass: Callable[[], None] = lambda: None,
) -> Written:
    """Write a program with another format's ops: to `path`, or to ``model.<suffix>`` in that folder.

    Raises `ConfigError` for a format without a writer, and `ModelParseError`, with a list of all ops that the
    format cannot express.
    """
    writer = find_writer(format)
    if writer is None:
        raise ConfigError(f"no writer exports a program to {format!r}{suggest(format, MODEL_WRITERS)}")
    target = path if path.suffix == writer.suffix else path / f"model{writer.suffix}"
    return writer.write(clean_graph(program, input_shapes, after_pass), target)


def find_writer(format: str) -> ModelWriter | None:
    """The writer of a format; None for a format without one."""
    load_writers()
    return MODEL_WRITERS.find(format)


def clean_graph(
    program: Program,
    input_shapes: Mapping[str, Shape] | None = None,
    after_pass: Callable[[], None] = lambda: None,
) -> Graph:
    """The graph that devices and writers get: canonical ops, with constants folded, before any fusion.

    `input_shapes` replace the shapes of inputs.  Raises what `program_graph` raises.
    """
    graph = program_graph(program, input_shapes=input_shapes)
    PassManager([*HEAD, *CLEANUP], after_each=lambda *_: after_pass()).run(graph, PassContext())
    return graph
