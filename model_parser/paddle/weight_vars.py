"""Which variables have parameters, in the order of a combined file, and what they must look like."""

from __future__ import annotations

import math
from dataclasses import replace

from lite.errors import ModelParseError
from lite.ir.program import Program, Var, VarKind, Weight
from lite.ir.types import DType, shape_text

_NEVER_SAVED = {VarKind.FEED, VarKind.FETCH, VarKind.RAW, VarKind.READER}


def weight_vars(program: Program) -> list[Var]:
    """The variables that Paddle saves: persistable ones of the first block, sorted by their names' bytes.

    One that ops only write (an XShape, say) comes without dtype and shape: what is stored of it need not
    be what the op will write.
    Raises `ModelParseError` for a persistable variable whose kind has another stream than a tensor's.
    """
    block = program.blocks[0]
    found = [var for var in block.vars.values() if var.persistable and var.kind not in _NEVER_SAVED]
    written = {name for op in block.ops for names in op.outputs.values() for name in names}
    reading = (op for op in block.ops if op.type != "fetch")
    written -= {name for op in reading for names in op.inputs.values() for name in names}
    for var in found:
        if var.kind is not VarKind.TENSOR:
            raise ModelParseError(
                f"{program.source}: persistable variable {var.name!r} is of kind {var.kind.name}, expected "
                "TENSOR; parameters of other kinds cannot be read or saved: export the model without it"
            )
    found = [replace(var, dtype=None, shape=None) if var.name in written else var for var in found]
    return sorted(found, key=lambda var: var.name.encode())


def check_weight(var: Var, weight: Weight) -> None:
    """Raise `ModelParseError` where the array is not what the program says about the variable.

    Dims must agree where the program fixes them; ``[]`` and ``[1]`` count as one shape, because
    Paddle wrote scalars as either.
    """
    found = DType.from_numpy(weight.array.dtype)
    if var.dtype is not None and found is not var.dtype:
        raise ModelParseError(f"the program says element type {var.dtype}, found {found}")
    shape = weight.array.shape
    if var.shape is None:
        return
    fixed = [dim if isinstance(dim, int) and dim >= 0 else None for dim in var.shape]
    if len(fixed) == len(shape) and all(want in (None, got) for want, got in zip(fixed, shape, strict=True)):
        return
    if max(len(fixed), len(shape)) <= 1 and math.prod(shape) == 1 and fixed in ([], [1]):
        return
    raise ModelParseError(f"the program says dims {shape_text(var.shape)}, found {shape_text(shape)}")
