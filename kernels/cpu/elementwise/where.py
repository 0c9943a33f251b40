"""where of float32, as a compiled loop."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.elementwise import fusion_group as groups
from lite.kernels.cpu.elementwise.few_elements import where_of_few
from lite.kernels.cpu.elementwise.group_loop import WHERE
from lite.kernels.cpu.elementwise.loop_text import Codes
from lite.ops.fusion_program import Instruction
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_NEGATIVE_IF_TRUE = Codes({0: (-1.0, 0)})


@kernel("where", "cpu", dtype=DType.FLOAT32, fallback="host")
def where(ctx: PrepareContext) -> KernelFunction | None:
    """X where Condition holds, else Y; all broadcast.

    None, for the host, for other types, a condition that is repeated along rows, and too few elements for a
    loop that are too many for `where_of_few`.
    """
    condition, x, y = (ctx.inputs[slot][0] for slot in ("Condition", "X", "Y"))
    out_shape = ctx.outputs["Out"][0].sizes
    if condition.dtype is not DType.BOOL or {x.dtype, y.dtype} != {DType.FLOAT32}:
        return None
    if math.prod(out_shape) < groups.LEAST_WORK:
        return where_of_few(ctx)
    shapes = [condition.sizes, x.sizes, y.sizes]
    select = groups.loop_of([Instruction(WHERE, (0, 1, 2))], (3,), shapes, _NEGATIVE_IF_TRUE)
    if select is None:
        return None

    def run(Condition: Array, X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        select(Condition.view(np.uint8), [X, Y], out=[result])
        return result

    return only_launches(run)
