"""Reading of a model: its program and its parameters, from files or buffers."""

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
from lite.plugin.format import ModelSource

MAX_PROGRAM = 2**31 - 1
"""The largest message in bytes that protobuf reads."""


def read_model(source: ModelSource) -> Program:
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


def _parse_pir(data: bytes, label: str, source: ModelSource) -> tuple[Program, list[Path]]:
    """A PIR program with its weights, and the files that hold them."""
    # Imported here: a process that loads a classic program does not need it.
    from lite.model_parser.paddle.pir.read_program import cast_weights, read_pir_program

    program = read_pir_program(data, label)
    # The file may store weights in another floating-point type than the program declares.
    variables = [replace(var, dtype=None) for var in parameter_vars(program)]
    program.weights, params = _read_weights(source, variables)
    declare_as_stored(program, undeclared_parameters(program))
    program.weights = cast_weights(program, program.weights)
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
