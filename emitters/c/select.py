"""The choice of one of several tensors."""

from __future__ import annotations

from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES


@emitter("c", "select_input")
def select_input(op: EmitOp, out: Emission) -> str | None:
    """A copy of the input with the number Mask; another number stops the run with LB_BAD_INDEX."""
    mask, y, given = op["Mask"], op.out(), op.all("X")
    if mask.size != 1 or mask.dtype not in C_TYPES or y.dtype not in C_TYPES:
        return f"a Mask of {mask} and elements of type {y.dtype} are not supported"
    for each in given:
        if (each.shape, each.dtype) != (y.shape, y.dtype):
            return f"X must be {y}, got {each}"
    out.read(mask, "mask")
    for number, each in enumerate(given):
        out.read(each, f"x{number}")
    out.write(y, "y")
    out.fails = True
    out.code(
        f"const void *const x[] = {{{', '.join(f'x{number}' for number in range(len(given)))}}};",
        f"if (*mask < 0 || *mask >= {len(given)}) return LB_BAD_INDEX;",
        f"memcpy(y, x[*mask], {y.bytes});",
    )
    return None
