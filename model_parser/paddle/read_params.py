"""Parameter files → weights: one combined file or buffer, or one file for each variable."""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Var, Weight
from lite.model_parser.paddle.content import Content, tell
from lite.model_parser.paddle.files import map_file, read_file, size_of
from lite.model_parser.paddle.tensor_stream import Buffer, read_tensor
from lite.model_parser.paddle.weight_path import weight_path
from lite.model_parser.paddle.weight_vars import check_weight

MAX_MAPPED = 256
"""Each mapping holds a file descriptor; of more separate files than this, the smallest are read."""


def read_combined(buffer: Buffer, variables: Sequence[Var], label: str) -> dict[str, Weight]:
    """The weights of all `variables`, which follow one another in `buffer` and fill it.

    `label` names the file for messages.  Raises `ModelParseError`.
    """
    weights: dict[str, Weight] = {}
    offset = 0
    for number, var in enumerate(variables, 1):
        try:
            weights[var.name], end = _read_checked(buffer, offset, var)
        except ModelParseError as error:
            raise ModelParseError(
                f"{label}: variable {var.name!r} ({number} of {len(variables)}, at byte {offset}): "
                f"{error}; {_suspicion(buffer)}"
            ) from error
        offset = end
    if offset != len(buffer):
        raise ModelParseError(
            f"{label}: expected the end of the file at byte {offset}, after all {len(variables)} parameters "
            f"of the program, found {len(buffer) - offset} more bytes; {_suspicion(buffer)}"
        )
    return weights


def read_separate(directory: Path, variables: Sequence[Var]) -> dict[str, Weight]:
    """The weights of all `variables`, each from the file of its name under `directory`."""
    paths = {var.name: weight_path(directory, var.name) for var in variables}
    missing = [name for name, path in paths.items() if not os.path.exists(path)]
    if missing:
        raise ModelParseError(
            f"{directory}: {len(missing)} of {len(paths)} parameter files are missing: "
            f"{', '.join(repr(name) for name in missing[:5])}{', …' if len(missing) > 5 else ''}; "
            "copy the whole directory, or name the combined file as params_file"
        )
    sizes = {name: size_of(path) for name, path in paths.items()}
    mapped = set(heapq.nlargest(MAX_MAPPED, sizes, key=sizes.__getitem__))
    weights: dict[str, Weight] = {}
    for var in variables:
        path = paths[var.name]
        buffer = map_file(path) if var.name in mapped else read_file(path)
        weights |= read_combined(buffer, [var], str(path))
    return weights


def _read_checked(buffer: Buffer, offset: int, var: Var) -> tuple[Weight, int]:
    weight, end = read_tensor(buffer, offset)
    check_weight(var, weight)
    return weight, end


def _suspicion(buffer: Buffer) -> str:
    content = tell(buffer[:4096])
    if content is Content.PARAMS:
        return (
            "the parameters may belong to another export of this model, or the file may be cut short: "
            "take program and parameters from one export"
        )
    if content is Content.PROGRAM:
        return "this is a program, not a parameter stream: were the model and params files swapped?"
    return f"this {content.value}: give the parameters that were exported with the program"
