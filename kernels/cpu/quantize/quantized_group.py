"""quantized_group as one loop, compiled for the group's program, that reads and writes uint8."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.cpu.elementwise.compile_time import MOST, MOST_INSTRUCTIONS, compile_time
from lite.kernels.cpu.elementwise.few_instructions import one_by_one
from lite.kernels.cpu.elementwise.fusion_group import LEAST_WORK, MOST_AXES, access_of, cost_of, steps_of
from lite.kernels.cpu.elementwise.group_loop import group_loop
from lite.kernels.cpu.elementwise.loop_text import FULL, Codes
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.ops.fusion_program import read_program
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.fusion_stages import Stage, sizes_of
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.merged_axes import Sizes, merged_axes
from lite.plugin.kernel.run_context import PER_ELEMENT

_dequantize, _quantize = Function("quantize.dequantize"), Function("quantize.quantize")

_Codes = dict[int, tuple[float, int]]
"""The scale and the zero point of each operand or result, by its number, that is not float32."""


@kernel("quantized_group", "cpu", fallback="host")
def quantized_group(ctx: PrepareContext) -> KernelFunction | None:
    """All instructions of the program in one pass over its operands.

    Operands that are smaller than the result are dequantised before the loop.  For little work, all are, and
    one compiled function after the other runs.  Returns None, and the host computes the op, for results of
    several shapes, programs that take long to compile, or more than `MOST_AXES` axes after merging.
    """
    metas = [*ctx.inputs["X"], *ctx.inputs.get("Inputs", ())]
    shapes = [meta.sizes for meta in metas]
    instructions, results = read_program(ctx.attrs.text("program")), ctx.attrs.integers("results")
    sizes = sizes_of(instructions, shapes)
    whole, inputs = sizes[-1], len(shapes)
    count = math.prod(whole)
    if not count or len(instructions) > MOST_INSTRUCTIONS or any(size != whole for size in sizes[inputs:]):
        return None
    given, written = _codes(ctx, "in"), _codes(ctx, "out")
    if count * len(instructions) < LEAST_WORK:
        run = one_by_one(instructions, tuple(results), shapes)
        return None if run is None else _around(ctx, run, given, written, shapes, whole)
    stage = Stage(instructions, tuple(results), tuple(range(inputs)), tuple(results))
    if compile_time(stage) > MOST:
        return None
    axes, (_, *spans) = merged_axes([whole, *shapes])
    if len(axes) > MOST_AXES:
        return None
    accesses = [access_of(span) for span in spans]
    small = {n: pair for n, pair in given.items() if accesses[n] != FULL}
    codes = Codes({n: pair for n, pair in given.items() if n not in small}, written)
    compiled = group_loop(instructions, accesses, results, codes)
    if compiled is None:
        return None
    loop, values = compiled
    steps = np.array([step for span in spans for step in steps_of(axes, span)], np.int64)
    *_, second, middle, columns = (1, 1, *axes)
    dtypes = [np.dtype(np.uint8 if n in written else np.float32) for n in range(len(results))]
    compute = loop.bind(
        *[FREE] * inputs, np.array(values, np.float32), *[FREE] * len(results), steps, second, middle,
        columns, count=count, cost=cost_of(len(instructions), count),
    )  # fmt: skip

    def run_loop(
        X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None
    ) -> list[Array]:
        outs = [np.empty(whole, dtype) for dtype in dtypes] if out is None else list(out)
        compute(X, *(Inputs or ()), *outs)
        return outs

    return _around(ctx, run_loop, small, {}, shapes, whole)


def _around(
    ctx: PrepareContext, run: KernelFunction, given: _Codes, written: _Codes, shapes: Sequence[Sizes],
    whole: Sizes,
) -> KernelFunction:  # fmt: skip
    """`run` between launches that dequantise the operands `given` and quantise the results `written`."""
    metas = ctx.outputs["Out"]
    reads = {
        n: (ctx.scratch(shapes[n]), _job(_dequantize, pair, math.prod(shapes[n])))
        for n, pair in given.items()
    }
    writes = {n: (ctx.scratch(whole), _job(_quantize, pair, math.prod(whole))) for n, pair in written.items()}

    def run_around(
        X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None
    ) -> list[Array]:
        operands = [X, *(Inputs or ())]
        for n, (scratch, dequantize) in reads.items():
            dequantize(operands[n], scratch.array)
            operands[n] = scratch.array
        if not writes:
            results: list[Array] = run(operands[0], operands[1:], out=out)
            return results
        outs = [np.empty(meta.sizes, meta.dtype.numpy) for meta in metas] if out is None else list(out)
        reals = [writes[n][0].array if n in writes else each for n, each in enumerate(outs)]
        run(operands[0], operands[1:], out=reals)
        for n, (scratch, quantize) in writes.items():
            quantize(scratch.array, outs[n])
        return outs

    return only_launches(run_around)


def _job(function: Function, pair: tuple[float, int], count: int) -> Job:
    return function.bind(FREE, FREE, *map(float, pair), 0, count=count, cost=2 * PER_ELEMENT * count)


def _codes(ctx: PrepareContext, which: str) -> _Codes:
    scales, zeros = ctx.attrs.reals(f"{which}_scales"), ctx.attrs.integers(f"{which}_zero_points")
    return {n: pair for n, pair in enumerate(zip(scales, zeros, strict=True)) if pair[0]}
