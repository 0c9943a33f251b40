"""Paddle's model format as a plug-in."""

from __future__ import annotations

import contextlib
from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program, Var, Weight
from lite.model_parser.paddle.content import PREFIX, Content, tell
from lite.model_parser.paddle.files import find_model, find_params, map_file, read_file, size_of
from lite.model_parser.paddle.read_params import read_combined, read_separate
from lite.model_parser.paddle.read_program import check_content, read_program
from lite.model_parser.paddle.weight_path import weight_path
from lite.model_parser.paddle.weight_vars import weight_vars
from lite.plugin.format import ModelSource, model_parser

MAX_PROGRAM = 2**31 - 1
"""protobuf reads no larger messages."""


@model_parser("paddle")
class PaddleParser:
    """Classic Paddle programs (``__model__``, ``*.pdmodel``) with combined or separate parameters."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content is Paddle's, also in forms that `parse` refuses with advice."""
        try:
            prefix, named = _prefix(source)
        except ModelParseError:
            return False
        content = tell(prefix)
        return named if content in (Content.EMPTY, Content.OTHER) else True

    def parse(self, source: ModelSource) -> Program:
        """The whole model; weights of files are mapped, weights of a buffer are views of it."""
        program = _read_program(source)
        program.weights, params = _read_weights(source, weight_vars(program))
        if source.model is None:
            program.files = [program.source, *map(str, params)]
        return program

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Write ``inference.pdmodel`` and ``inference.pdiparams``, or ``__model__`` and a file a weight."""
        from lite.model_parser.paddle.write_model import write_model  # few who load a model save one

        return write_model(program, directory, combined=combined)


def _prefix(source: ModelSource) -> tuple[bytes, bool]:
    """The beginning of the program, and whether it lies in a directory under a name of Paddle's."""
    if source.model is not None:
        return source.model[:PREFIX], False
    if source.path is None:
        return b"", False
    path = find_model(source.path)
    named = path != source.path and (path.name == "__model__" or path.suffix == ".pdmodel")
    return read_file(path, PREFIX), named


def _read_program(source: ModelSource) -> Program:
    if source.model is not None:
        return read_program(source.model, str(source))
    if source.path is None:
        raise ModelParseError("the model source has neither a path nor bytes; give one of them")
    path = find_model(source.path)
    # The beginning first: a swapped parameter file may be larger than memory.
    check_content(tell(read_file(path, PREFIX)), str(path))
    if size_of(path) > MAX_PROGRAM:
        raise ModelParseError(f"{path}: {size_of(path)} bytes, expected at most {MAX_PROGRAM} for a program")
    return read_program(read_file(path), str(path))


def _read_weights(source: ModelSource, variables: list[Var]) -> tuple[dict[str, Weight], list[Path]]:
    """The weights, and the files that they lie in."""
    if source.params is not None:
        label = f"params buffer of {len(source.params)} bytes"
        return read_combined(source.params, variables, label), []
    if source.params_path is not None:
        path = source.params_path
        return read_combined(map_file(path), variables, str(path)), [path]
    if not variables:
        return {}, []
    if source.path is None or source.model is not None:
        raise ModelParseError(
            f"{source}: the program has {len(variables)} parameters (first: {variables[0].name!r}) but no "
            "parameters were given; give params_buffer or params_file"
        )
    model = find_model(source.path)
    separate = _separate_files(model.parent, variables)
    params = find_params(model, separate)
    if params is None:
        return read_separate(model.parent, variables), separate
    return read_combined(map_file(params), variables, str(params)), [params]


def _separate_files(directory: Path, variables: list[Var]) -> list[Path]:
    paths = []
    for var in variables:
        # A name that can have no file of its own may still be in a combined one.
        with contextlib.suppress(ModelParseError):
            paths.append(weight_path(directory, var.name))
    return paths
