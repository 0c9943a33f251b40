"""fusion_group as one loop, compiled for the group's program."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.kernels.cpu.elementwise.compile_time import MOST, MOST_INSTRUCTIONS, compile_time
from lite.kernels.cpu.elementwise.few_instructions import one_by_one
from lite.kernels.cpu.elementwise.group_loop import group_loop
from lite.kernels.cpu.elementwise.loop_text import ALONG, FULL, NO_CODES, SINGLE, Codes
from lite.kernels.cpu.native.job import FREE
from lite.ops.fusion_program import Instruction, program_text, read_program
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, host_kernel, kernel
from lite.plugin.kernel.fusion_stages import Stage, chained, cut, in_stages, sizes_of
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.merged_axes import Sizes, Spans, merged_axes
from lite.plugin.kernel.run_context import PER_ELEMENT

LEAST_WORK = 1 << 11
"""The least product of elements and instructions for which a loop is compiled.

Compiling takes 200 ms; loading the compiled loop later takes 3 ms."""

_PER_INSTRUCTION = 3
"""The cost of an instruction per element, in multiplications, besides reading and writing the element."""

MOST_AXES = 4
"""The most axes of the loop, after merging."""


@kernel("fusion_group", "cpu", dtype=DType.FLOAT32, fallback="host")
def fusion_group(ctx: PrepareContext) -> KernelFunction | None:
    """All instructions of the program in one pass over its operands.

    A program that would take long to compile becomes several loops, and little work is done by one function
    after the other.  Returns None, and the host computes the op, for operands that are not float32, more than
    `MOST_INSTRUCTIONS`, more axes than `MOST_AXES` after merging, and little work with other ops.
    """
    metas = [*ctx.inputs["X"], *ctx.inputs.get("Inputs", ())]
    if not all(meta.dtype is DType.FLOAT32 for meta in metas):
        return None
    shapes = [meta.sizes for meta in metas]
    instructions, results = read_program(ctx.attrs.text("program")), tuple(ctx.attrs.integers("results"))
    if len(instructions) > MOST_INSTRUCTIONS:
        return None
    sizes = sizes_of(instructions, shapes)
    [*small, large] = in_stages(instructions, results, shapes)
    count = math.prod(sizes[large.writes[-1]]) if large.writes else 0
    if count * len(large.instructions) < LEAST_WORK:
        return one_by_one(instructions, results, shapes) if count else None
    loop = _loops(ctx, large, [sizes[n] for n in large.reads])
    if loop is None:
        return None
    return chained([*small, large], [*map(_on_host, small), loop], results, len(shapes))


def _on_host(stage: Stage) -> KernelFunction:
    host = host_kernel("fusion_group")
    attrs: dict[str, AttrValue] = {
        "program": program_text(stage.instructions),
        "results": list(stage.results),
    }
    return functools.partial(host.run, **host.keywords(attrs))


def _loops(ctx: PrepareContext, stage: Stage, shapes: Sequence[Sizes]) -> KernelFunction | None:
    """The loop of a stage, or its loops, one after the other; None if one cannot be compiled."""
    if compile_time(stage) <= MOST:
        return loop_of(stage.instructions, stage.results, shapes)
    parts = cut(stage, lambda part: compile_time(part) <= MOST)
    sizes = sizes_of(stage.instructions, shapes)
    loops = [loop_of(part.instructions, part.results, [sizes[n] for n in part.reads]) for part in parts]
    runs = [loop for loop in loops if loop is not None]
    if len(runs) < len(parts):
        return None
    between = {number for part in parts for number in part.writes}.difference(stage.results)
    scratch = {number: ctx.scratch(sizes[number]) for number in sorted(between)}
    return only_launches(chained(parts, runs, stage.results, len(shapes), scratch))


def loop_of(
    instructions: Sequence[Instruction],
    results: Sizes,
    shapes: Sequence[Sizes],
    codes: Codes = NO_CODES,
) -> KernelFunction | None:
    """The loop of a program whose results all have the same shape; None if it cannot be compiled.

    An operand that is repeated along rows cannot be one of `codes`.
    """
    whole = sizes_of(instructions, shapes)[-1]
    sizes, (_, *spans) = merged_axes([whole, *shapes])
    if len(sizes) > MOST_AXES:
        return None
    *_, second, middle, columns = (1, 1, *sizes)
    accesses = [access_of(span) for span in spans]
    if any(accesses[n] == SINGLE for n in codes.operands):
        return None
    compiled = group_loop(instructions, accesses, results, codes, columns=columns, rows=middle)
    if compiled is None:
        return None
    loop, values = compiled
    numbers = np.array(values, np.float32)
    steps = np.array([step for span in spans for step in steps_of(sizes, span)], np.int64)
    count = math.prod(whole)
    cost = cost_of(len(instructions), count)

    compute = loop.bind(
        *[FREE] * len(spans), numbers, *[FREE] * len(results), steps, second, middle, columns,
        count=count, cost=cost,
    )  # fmt: skip

    def run(X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None) -> list[Array]:
        outs = [np.empty(whole, np.float32) for _ in results] if out is None else list(out)
        compute(X, *(Inputs or ()), *outs)
        return outs

    return only_launches(run)


def cost_of(instructions: int, count: int) -> int:
    """The cost of a loop of `count` elements, in multiplications."""
    return (PER_ELEMENT + _PER_INSTRUCTION * instructions) * count


def access_of(span: Spans) -> str:
    """How the loop reads an operand: `FULL` if it has all axes, `ALONG` if it has the last, else `SINGLE`."""
    return FULL if all(span) else ALONG if span[-1] else SINGLE


def steps_of(sizes: Sizes, span: Spans) -> list[int]:
    """The strides of an operand's rows along the three axes before the last one, in elements."""
    lengths = [size if has else 1 for size, has in zip(sizes, span, strict=True)]
    strides = [math.prod(lengths[n + 1 :]) if has else 0 for n, has in enumerate(span[:-1])]
    return [0] * (MOST_AXES - len(sizes)) + strides
