"""The parser of classic and PIR models, with combined or separate parameters, from files or buffers."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program, Var, Weight
from lite.model_parser.paddle.files import (
    PREFIX,
    Content,
    check_is_program,
    detect_content,
    file_size,
    find_model,
    find_params,
    map_file,
    read_file,
    separate_file,
)
from lite.model_parser.paddle.parameters import parameter_vars, read_combined, read_separate
from lite.model_parser.paddle.quantized import declare_as_stored, read_scale_outputs, undeclared_parameters
from lite.model_parser.paddle.read_program import read_program
from lite.plugin.format import ModelSource, model_parser

MAX_PROGRAM = 2**31 - 1
"""The largest message in bytes that protobuf reads."""


@model_parser("paddle")
class PaddleParser:
    """Classic programs (``__model__``, ``*.pdmodel``) with combined or separate parameters, and PIR programs
    (``inference.json``) with combined ones."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content is Paddle's; true also for parameters, which `parse` refuses with advice."""
        try:
            prefix, has_paddle_name = _prefix(source)
        except ModelParseError:
            return False
        content = detect_content(prefix)
        return has_paddle_name if content in (Content.EMPTY, Content.OTHER) else True

    def parse(self, source: ModelSource) -> Program:
        """The whole model; weights of files are mapped, weights of a buffer are views of it."""
        data, label = _read_model(source)
        if detect_content(data[:PREFIX]) is Content.PIR:
            program, params = _parse_pir(data, label, source)
        else:
            program = read_program(data, label)
            read_scale_outputs(program)
            program.weights, params = _read_weights(source, parameter_vars(program))
            declare_as_stored(program, undeclared_parameters(program))
        if source.model is None:
            program.files = [program.source, *map(str, params)]
        return program

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Write ``inference.pdmodel`` and ``inference.pdiparams``, or ``__model__`` and a file per weight."""
        # Imported here: most processes that load a model save none.
        from lite.model_parser.paddle.write_model import write_model

        return write_model(program, directory, combined=combined)


def _prefix(source: ModelSource) -> tuple[bytes, bool]:
    """The first bytes of the program, and whether it was found in a directory by a name that Paddle uses."""
    if source.model is not None:
        return source.model[:PREFIX], False
    if source.path is None:
        return b"", False
    path = find_model(source.path)
    has_paddle_name = path != source.path and (path.name == "__model__" or path.suffix == ".pdmodel")
    return read_file(path, PREFIX), has_paddle_name


def _parse_pir(data: bytes, label: str, source: ModelSource) -> tuple[Program, list[Path]]:
    """A PIR program with its weights, and the files that hold them."""
    # Imported here: a process that loads a classic program does not need it.
    from lite.model_parser.paddle.pir.read_program import cast_weights, read_pir_program

    program = read_pir_program(data, label)
    # The file may store weights in another floating-point type than the program declares.
    variables = [replace(var, dtype=None) for var in parameter_vars(program)]
    weights, params = _read_weights(source, variables)
    program.weights = cast_weights(program, weights)
    return program, params


def _read_model(source: ModelSource) -> tuple[bytes, str]:
    """The bytes of the program, and a name for messages: its path, if it has one."""
    if source.model is not None:
        return source.model, str(source)
    if source.path is None:
        raise ModelParseError("the model source has neither a path nor bytes; give one of them")
    path = find_model(source.path)
    # The prefix first: a swapped parameter file may be larger than memory.
    check_is_program(read_file(path, PREFIX), str(path))
    if file_size(path) > MAX_PROGRAM:
        raise ModelParseError(
            f"{path}: {file_size(path)} bytes, expected at most {MAX_PROGRAM} for a program"
        )
    return read_file(path), str(path)


def _read_weights(source: ModelSource, variables: list[Var]) -> tuple[dict[str, Weight], list[Path]]:
    """The weights, and the files that hold them."""
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
        # A parameter whose name cannot be a path may still be in a combined file.
        with contextlib.suppress(ModelParseError):
            paths.append(separate_file(directory, var.name))
    return paths
