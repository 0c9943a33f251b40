"""Program → files: program and parameters, each file written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program, Var
from lite.model_parser.paddle.tensor_stream import write_tensor
from lite.model_parser.paddle.weight_path import weight_path
from lite.model_parser.paddle.weight_vars import check_weight, weight_vars
from lite.model_parser.paddle.write_program import write_program


def write_model(program: Program, directory: Path, *, combined: bool) -> list[Path]:
    """Write the model into `directory`, which is created; the paths written, the program's last.

    Combined: ``inference.pdmodel`` and ``inference.pdiparams`` (the latter only when there are weights).
    Separate: ``__model__`` and a file for each weight.  Everything is checked before the first byte is
    written.  Raises `ModelParseError`.
    """
    data = write_program(program)
    variables = _checked_vars(program)
    model = directory / ("inference.pdmodel" if combined else "__model__")
    if combined:
        files = {directory / "inference.pdiparams": variables} if variables else {}
    else:
        files = _separate_files(directory, variables, model)
    for path, content in files.items():
        _write_file(path, _streams(program, content))
    _write_file(model, [data])
    return [*files, model]


def _checked_vars(program: Program) -> list[Var]:
    if not program.blocks:
        raise ModelParseError(f"{program.source}: the program has no block, so there is nothing to save")
    variables = weight_vars(program)
    odd = program.weights.keys() ^ {var.name for var in variables}
    if odd:
        raise ModelParseError(
            f"{program.source}: {sorted(odd)[:5]} are either weights without a persistable variable in the "
            "first block or the reverse; Paddle's files need both"
        )
    for var in variables:
        try:
            check_weight(var, program.weights[var.name])
            next(write_tensor(program.weights[var.name]))
        except ModelParseError as error:
            raise ModelParseError(f"{program.source}: weight {var.name!r}: {error}") from error
    return variables


def _separate_files(directory: Path, variables: Iterable[Var], model: Path) -> dict[Path, list[Var]]:
    files: dict[Path, list[Var]] = {}
    for var in variables:
        path = weight_path(directory, var.name)
        if path == model or path in files:
            raise ModelParseError(f"{path}: two parts of the model would be written here; save it combined")
        files[path] = [var]
    return files


def _streams(program: Program, variables: Iterable[Var]) -> Iterator[bytes | memoryview]:
    for var in variables:
        yield from write_tensor(program.weights[var.name])


def _write_file(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write beside `path` and move there: readers, and mappings of the old file, see no half of it."""
    temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(temporary, "xb") as file:
                for piece in pieces:
                    file.write(piece)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be written: {error.strerror}; check the directory") from error
