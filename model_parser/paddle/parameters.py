"""Parameters of a program: which variables have one, and reading them from one combined or many files."""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program, Var, VarKind, Weight
from lite.ir.types import DType, shape_text
from lite.model_parser.paddle.files import (
    PREFIX,
    Content,
    detect_content,
    file_size,
    map_file,
    read_file,
    separate_file,
)
from lite.model_parser.paddle.quantized import undeclared_parameters
from lite.model_parser.paddle.tensor_stream import Buffer, read_tensor

MAX_MAPPED = 256
"""The most separate files that are mapped, the largest first: each mapping holds a file descriptor."""

_NEVER_SAVED = {VarKind.FEED, VarKind.FETCH, VarKind.RAW, VarKind.READER}


def parameter_vars(program: Program) -> list[Var]:
    """The variables that Paddle saves: persistable ones of the first block, sorted by their names' bytes.

    A variable that ops write and none reads (an XShape, say) has neither dtype nor shape in the result: the
    stored tensor may differ from the one that the op writes.  The same holds for the stored integers and
    scales of quantised programs.  Raises `ModelParseError` for a persistable variable that is not a tensor:
    its stream has another format.
    """
    block = program.blocks[0]
    variables = [var for var in block.vars.values() if var.persistable and var.kind not in _NEVER_SAVED]
    unread = {name for op in block.ops for names in op.outputs.values() for name in names}
    readers = (op for op in block.ops if op.type != "fetch")
    unread -= {name for op in readers for names in op.inputs.values() for name in names}
    for var in variables:
        if var.kind is not VarKind.TENSOR:
            raise ModelParseError(
                f"{program.source}: persistable variable {var.name!r} is of kind {var.kind.name}, expected "
                "TENSOR; parameters of other kinds cannot be read or saved: export the model without it"
            )
    undeclared = unread | undeclared_parameters(program)
    variables = [replace(var, dtype=None, shape=None) if var.name in undeclared else var for var in variables]
    return sorted(variables, key=lambda var: var.name.encode())


def check_weight(var: Var, weight: Weight) -> None:
    """Raise `ModelParseError` where the array differs from the variable's declaration in the program.

    Dims must agree where the program fixes them; ``[]`` and ``[1]`` count as one shape, because
    Paddle wrote scalars as either.
    """
    dtype = DType.from_numpy(weight.array.dtype)
    if var.dtype is not None and dtype is not var.dtype:
        raise ModelParseError(f"expected element type {var.dtype}, as the program declares, got {dtype}")
    shape = weight.array.shape
    if var.shape is None:
        return
    declared = [dim if isinstance(dim, int) and dim >= 0 else None for dim in var.shape]
    if len(declared) == len(shape) and all(
        dim in (None, size) for dim, size in zip(declared, shape, strict=True)
    ):
        return
    if max(len(declared), len(shape)) <= 1 and math.prod(shape) == 1 and declared in ([], [1]):
        return
    raise ModelParseError(
        f"expected dims {shape_text(var.shape)}, as the program declares, got {shape_text(shape)}"
    )


def read_combined(buffer: Buffer, variables: Sequence[Var], label: str) -> dict[str, Weight]:
    """The weights of all `variables`, whose streams follow one another in `buffer` and fill it.

    `label` names the file in messages.  Raises `ModelParseError`.
    """
    weights: dict[str, Weight] = {}
    offset = 0
    for number, var in enumerate(variables, 1):
        try:
            weights[var.name], end = _read_checked(buffer, offset, var)
        except ModelParseError as error:
            raise ModelParseError(
                f"{label}: variable {var.name!r} ({number} of {len(variables)}, at byte {offset}): "
                f"{error}; {_advice(buffer)}"
            ) from error
        offset = end
    if offset != len(buffer):
        raise ModelParseError(
            f"{label}: expected the end of the file at byte {offset}, after all {len(variables)} parameters "
            f"of the program, got {len(buffer) - offset} more bytes; {_advice(buffer)}"
        )
    return weights


def read_separate(directory: Path, variables: Sequence[Var]) -> dict[str, Weight]:
    """The weights of all `variables`, each from the file of its name under `directory`."""
    paths = {var.name: separate_file(directory, var.name) for var in variables}
    missing = [name for name, path in paths.items() if not os.path.exists(path)]
    if missing:
        raise ModelParseError(
            f"{directory}: {len(missing)} of {len(paths)} parameter files are missing: "
            f"{', '.join(repr(name) for name in missing[:5])}{', …' if len(missing) > 5 else ''}; "
            "copy the whole directory, or name the combined file as params_file"
        )
    sizes = {name: file_size(path) for name, path in paths.items()}
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


def _advice(buffer: Buffer) -> str:
    content = detect_content(buffer[:PREFIX])
    if content is Content.PARAMS:
        return (
            "the parameters may belong to another export of this model, or the file may be cut short: "
            "take program and parameters from one export"
        )
    if content is Content.PROGRAM:
        return "this is a program, not a parameter stream: were the model and params files swapped?"
    return f"this {content.value}: give the parameters that were exported with the program"
