"""quantized_group as one loop, compiled for the group's program, that reads and writes uint8."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.cpu.elementwise.compile_time import MOST, MOST_INSTRUCTIONS, compile_time
from lite.kernels.cpu.elementwise.fusion_group import LEAST_WORK, MOST_AXES, access_of, cost_of, steps_of
from lite.kernels.cpu.elementwise.group_loop import group_loop
from lite.kernels.cpu.elementwise.loop_text import FULL, Codes
from lite.kernels.cpu.native.job import FREE
from lite.ops.fusion_program import read_program
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.fusion_stages import Stage, sizes_of
from lite.plugin.kernel.merged_axes import merged_axes

_Pairs = list[tuple[float, int]]
"""A scale and a zero point for each operand or result; the scale of float32 is 0."""


@kernel("quantized_group", "cpu", fallback="host")
def quantized_group(ctx: PrepareContext) -> KernelFunction | None:
    """All instructions of the program in one pass over its operands.

    Operands that are smaller than the result are dequantised before the loop.  Returns None, and the host
    computes the op, for little work, results of several shapes, programs that take long to compile, or more
    than `MOST_AXES` axes after merging.
    """
    metas = [*ctx.inputs["X"], *ctx.inputs.get("Inputs", ())]
    shapes = [meta.sizes for meta in metas]
    instructions, results = read_program(ctx.attrs.text("program")), ctx.attrs.integers("results")
    sizes = sizes_of(instructions, shapes)
    whole, inputs = sizes[-1], len(shapes)
    count = math.prod(whole)
    if count * len(instructions) < LEAST_WORK or any(size != whole for size in sizes[inputs:]):
        return None
    stage = Stage(instructions, tuple(results), tuple(range(inputs)), tuple(results))
    if len(instructions) > MOST_INSTRUCTIONS or compile_time(stage) > MOST:
        return None
    axes, (_, *spans) = merged_axes([whole, *shapes])
    if len(axes) > MOST_AXES:
        return None
    given, written = _pairs(ctx, "in"), _pairs(ctx, "out")
    accesses = [access_of(span) for span in spans]
    is_full = [access == FULL for access in accesses]
    codes = Codes(
        {n: pair for n, pair in enumerate(given) if pair[0] and is_full[n]},
        {n: pair for n, pair in enumerate(written) if pair[0]},
    )
    compiled = group_loop(instructions, accesses, results, codes)
    if compiled is None:
        return None
    loop, values = compiled
    steps = np.array([step for span in spans for step in steps_of(axes, span)], np.int64)
    *_, second, middle, columns = (1, 1, *axes)
    dtypes = [np.dtype(np.uint8 if scale else np.float32) for scale, _ in written]
    small = [n for n, pair in enumerate(given) if pair[0] and not is_full[n]]
    compute = loop.bind(
        *[FREE] * inputs, np.array(values, np.float32), *[FREE] * len(results), steps, second, middle,
        columns, count=count, cost=cost_of(len(instructions), count),
    )  # fmt: skip

    def run(X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None) -> list[Array]:
        operands = [X, *(Inputs or ())]
        for n in small:
            scale, zero = given[n]
            operands[n] = (operands[n].astype(np.float32) - np.float32(zero)) * np.float32(scale)
        outs = [np.empty(whole, dtype) for dtype in dtypes] if out is None else list(out)
        compute(*operands, *outs)
        return outs

    return run


def _pairs(ctx: PrepareContext, which: str) -> _Pairs:
    scales, zeros = ctx.attrs.reals(f"{which}_scales"), ctx.attrs.integers(f"{which}_zero_points")
    return list(zip(scales, zeros, strict=True))
