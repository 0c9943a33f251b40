"""prelu of float32, as a compiled loop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.elementwise import fusion_group as groups
from lite.ops.fusion_program import Instruction
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_PROGRAM = (
    Instruction("relu", (0,)),
    Instruction("clip", (0,), (-math.inf, 0.0)),
    Instruction("elementwise_mul", (3, 1)),
    Instruction("elementwise_add", (2, 4)),
)
"""max(X, 0) + Alpha · min(X, 0)."""


@kernel("prelu", "cpu", dtype=DType.FLOAT32, fallback="host")
def prelu(ctx: PrepareContext) -> KernelFunction | None:
    """X where it is positive, Alpha · X elsewhere; None for few elements."""
    attrs, shape, alpha = ctx.attrs, ctx.inputs["X"][0].sizes, ctx.inputs["Alpha"][0]
    if math.prod(shape) * len(_PROGRAM) < groups.LEAST_WORK or alpha.dtype is not DType.FLOAT32:
        return None
    slopes = _slopes(attrs.text("mode"), attrs.text("data_format"), shape)
    if math.prod(slopes) > math.prod(alpha.sizes):
        return None
    compute = groups.loop_of(_PROGRAM, (5,), [shape, slopes])
    if compute is None:
        return None

    def run(X: Array, Alpha: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, [Alpha], out=[result])
        return result

    return only_launches(run)


def _slopes(mode: str, data_format: str, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of Alpha as it broadcasts to X."""
    if mode == "element":
        return tuple(shape[1:])
    if mode == "channel" and len(shape) > 1:
        return (shape[-1],) if data_format == "NHWC" else (shape[1], *[1] * (len(shape) - 2))
    return (1,)
