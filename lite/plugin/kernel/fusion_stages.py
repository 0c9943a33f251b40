"""Splits programs of fusion_group into stages: one for smaller results, then one for the largest shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.ops.fusion_program import Instruction
from lite.plugin.kernel.merged_axes import Sizes
from lite.plugin.kernel.scratch import Scratch

Run = Callable[..., list[Array]]
"""A kernel of fusion_group: X, Inputs and ``out``."""


@dataclass(frozen=True)
class Stage:
    """A part of a program that is a program itself.

    `reads` and `writes` are its operands and results as the whole program numbers them; `results` are its
    results as its own instructions number them.
    """

    instructions: tuple[Instruction, ...]
    results: Sizes
    reads: Sizes
    writes: Sizes


def sizes_of(instructions: Sequence[Instruction], shapes: Sequence[Sizes]) -> list[Sizes]:
    """The shapes of all values: of the operands, `shapes`, and of the results."""
    sizes = list(shapes)
    for each in instructions:
        sizes.append(np.broadcast_shapes(*(sizes[operand] for operand in each.operands)))
    return sizes


def in_stages(
    instructions: Sequence[Instruction], results: Sequence[int], shapes: Sequence[Sizes]
) -> list[Stage]:
    """One or two stages for operands of these shapes; all results of the last one have the same shape.

    So no value is computed for more elements than it has.  Where no shape is that of the largest result, as
    may turn out of shapes that were unknown, each instruction is a stage.
    """
    inputs, sizes = len(shapes), sizes_of(instructions, shapes)
    numbers = range(inputs, len(sizes))
    written = {n: instructions[n - inputs] for n in numbers}
    whole = max(sizes[inputs:], key=lambda shape: (len(shape), math.prod(shape)))
    small = [number for number in numbers if sizes[number] != whole]
    large = [number for number in numbers if sizes[number] == whole]
    if not all(_fits(sizes[number], whole) for number in small):
        return [_stage([number], written, results) for number in numbers]
    return [_stage(chosen, written, results) for chosen in (small, large) if chosen]


def _fits(shape: Sizes, whole: Sizes) -> bool:
    """Whether a shape can be broadcast to another one."""
    pairs = zip(reversed(shape), reversed(whole), strict=False)
    return len(shape) <= len(whole) and all(size in (1, other) for size, other in pairs)


def cut(stage: Stage, fits: Callable[[Stage], bool]) -> list[Stage]:
    """The parts of a stage that fit, in order: halves, and halves of these; one instruction always fits.

    They number values as the stage numbers its own.  A part without results that are read is left out.
    """
    inputs = len(stage.reads)
    written = dict(enumerate(stage.instructions, inputs))

    def halved(begin: int, end: int) -> list[Stage]:
        part = _stage(range(begin, end), written, stage.results)
        if end - begin == 1 or fits(part):
            return [part] if part.writes else []
        middle = (begin + end) // 2
        return [*halved(begin, middle), *halved(middle, end)]

    return halved(inputs, inputs + len(stage.instructions))


def _stage(chosen: Sequence[int], written: dict[int, Instruction], results: Sequence[int]) -> Stage:
    inside = set(chosen)
    reads = sorted({operand for number in chosen for operand in written[number].operands} - inside)
    later = {operand for n, each in written.items() if n not in inside for operand in each.operands}
    writes = [number for number in chosen if number in results or number in later]
    places = {number: n for n, number in enumerate([*reads, *chosen])}
    return Stage(
        tuple(
            Instruction(each.op, tuple(places[operand] for operand in each.operands), each.numbers)
            for each in (written[number] for number in chosen)
        ),
        tuple(places[number] for number in writes),
        tuple(reads),
        tuple(writes),
    )


def chained(
    stages: Sequence[Stage],
    runs: Sequence[Run],
    results: Sizes,
    inputs: int,
    scratch: Mapping[int, Scratch] = MappingProxyType({}),
) -> Run:
    """A function that runs the stages one after the other; `runs` are their functions.

    `scratch` is memory for values that are no results; others are allocated in each run.
    """
    [*_, last] = stages
    if len(stages) == 1 and last.writes == results and last.reads == tuple(range(inputs)):
        return runs[0]

    def run(X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None) -> list[Array]:
        values = dict(enumerate([X, *(Inputs or ())]))
        buffers = {} if out is None else dict(zip(results, out, strict=True))
        buffers |= {number: each.array for number, each in scratch.items()}
        for stage, each in zip(stages, runs, strict=True):
            first, *others = (values[number] for number in stage.reads)
            targets = [buffers[number] for number in stage.writes if number in buffers]
            outputs = each(first, others, out=targets if len(targets) == len(stage.writes) else None)
            values.update(zip(stage.writes, outputs, strict=True))
        for number, buffer in zip(results, out or (), strict=out is not None):
            if values[number] is not buffer:
                np.copyto(buffer, values[number])
        return [values[number] for number in results] if out is None else list(out)

    return run
