"""fusion_group by numpy: runs the kernels of its ops one after another, on large arrays block by block.

A block and its intermediate results stay in the cache, so that memory is read and written once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.ops.fusion_program import Instruction, read_program
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, host_kernel, kernel
from lite.plugin.kernel.fusion_stages import chained, in_stages, sizes_of
from lite.plugin.kernel.merged_axes import Sizes, Spans, merged_axes

LEAST_BYTES = 1 << 25
"""The fewest bytes of operands and results for blocks: below, calls cost more than cache misses."""

BLOCK_BYTES = 1 << 20
"""The size of a block with its operands and intermediate results: about a second-level cache."""

Block = tuple[slice, ...]


@dataclass(frozen=True)
class _Step:
    """A kernel with its operands; it writes an output, or a register where `output` is None."""

    run: KernelFunction
    operands: Sizes
    output: int | None
    register: int = 0


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    metas = [*ctx.inputs["X"], *ctx.inputs.get("Inputs", ())]
    shapes = tuple(meta.sizes for meta in metas)
    program, results = ctx.attrs.text("program"), tuple(ctx.attrs.integers("results"))
    return _runner(program, results, shapes, metas[0].dtype.itemsize)


@kernel("fusion_group", prepare=_prepare)
def fusion_group(
    X: Array,
    Inputs: Sequence[Array] | None,
    *,
    program: str,
    results: Sequence[int],
    out: Sequence[Array] | None = None,
) -> list[Array]:
    """litebridge's fusion_group: the results of a program of elementwise ops on float tensors."""
    shapes = (X.shape, *(array.shape for array in Inputs or ()))
    outputs: list[Array] = _runner(program, tuple(results), shapes, X.itemsize)(X, Inputs, out=out)
    return outputs


@functools.lru_cache(maxsize=1024)
def _runner(program: str, results: Sizes, shapes: tuple[Sizes, ...], itemsize: int) -> KernelFunction:
    """The function that runs a program on inputs of these shapes."""
    instructions = read_program(program)
    sizes = sizes_of(instructions, shapes)
    counts = [math.prod(shape) for shape in sizes]
    if max(counts) <= 1 or itemsize * sum(counts) < LEAST_BYTES:
        return _one_by_one(instructions, results, len(shapes))
    stages = in_stages(instructions, results, shapes)
    known = dict(enumerate(sizes))
    runs = [
        _one_by_one(stage.instructions, stage.results, len(stage.reads))
        if stage is not stages[-1]
        else _in_blocks(stage.instructions, stage.results, [known[n] for n in stage.reads], itemsize)
        for stage in stages
    ]
    return chained(stages, runs, results, len(shapes))


def _bound(instruction: Instruction) -> KernelFunction:
    """The kernel of an instruction's op, with its attributes."""
    kernel_of_op = host_kernel(instruction.op)
    return functools.partial(kernel_of_op.run, **kernel_of_op.keywords(instruction.attrs()))


def _last_reads(instructions: Sequence[Instruction]) -> dict[int, int]:
    return {operand: n for n, each in enumerate(instructions) for operand in each.operands}


def _one_by_one(instructions: Sequence[Instruction], results: Sizes, inputs: int) -> KernelFunction:
    """Runs the kernels on whole arrays."""
    last = _last_reads(instructions)
    steps = [
        (
            _bound(each),
            each.operands,
            results.index(inputs + n) if inputs + n in results else None,
            [operand for operand in each.operands if last[operand] == n and operand not in results],
        )
        for n, each in enumerate(instructions)
    ]

    def run(X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None) -> list[Array]:
        values: list[Any] = [X, *(Inputs or ())]
        for function, operands, output, done in steps:
            target = None if out is None or output is None else out[output]
            values.append(function(*[values[operand] for operand in operands], out=target))
            for operand in done:
                values[operand] = None
        return [values[number] for number in results]

    return run


def _steps(instructions: Sequence[Instruction], results: Sizes, inputs: int) -> tuple[list[_Step], int]:
    """The instructions with registers for the values that are not outputs, and the number of registers."""
    last = _last_reads(instructions)
    steps: list[_Step] = []
    held: dict[int, int] = {}
    free: list[int] = []
    count = 0
    for n, each in enumerate(instructions):
        run = _bound(each)
        if inputs + n in results:
            steps.append(_Step(run, each.operands, results.index(inputs + n)))
        else:
            if not free:
                free.append(count)
                count += 1
            held[inputs + n] = free.pop()
            steps.append(_Step(run, each.operands, None, held[inputs + n]))
        # After the choice of the result's register: no kernel may overwrite its second operand.
        free += [
            held.pop(operand) for operand in set(each.operands) if last[operand] == n and operand in held
        ]
    return steps, count


def _in_blocks(
    instructions: Sequence[Instruction], results: Sizes, shapes: Sequence[Sizes], itemsize: int
) -> KernelFunction:
    """Runs all steps on one block after the other; all results have one shape."""
    steps, registers = _steps(instructions, results, len(shapes))
    size = max(1, BLOCK_BYTES // (itemsize * (len(shapes) + registers + len(results))))
    whole = sizes_of(instructions, shapes)[-1]
    lengths, (_, *spans) = merged_axes([whole, *shapes])
    reshaped = [tuple(n if has else 1 for n, has in zip(lengths, span, strict=True)) for span in spans]
    places = [(block, [_part(block, span) for span in spans]) for block in _blocks(lengths, size)]

    def run(X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None) -> list[Array]:
        operands = [x.reshape(s) for x, s in zip([X, *(Inputs or ())], reshaped, strict=True)]
        outs = [np.empty(whole, X.dtype) for _ in results] if out is None else list(out)
        # A copy where the caller's array is not contiguous.
        views = [target.reshape(lengths) for target in outs]
        buffers = np.empty((registers, size), X.dtype)
        for block, parts in places:
            values = [x[part] for x, part in zip(operands, parts, strict=True)]
            targets = [view[block] for view in views]
            shape, count = targets[0].shape, targets[0].size
            scratch = [buffer[:count].reshape(shape) for buffer in buffers]
            for step in steps:
                target = scratch[step.register] if step.output is None else targets[step.output]
                values.append(step.run(*[values[operand] for operand in step.operands], out=target))
        for target, view in zip(outs, views, strict=True):
            if not np.may_share_memory(target, view):
                np.copyto(target, view.reshape(whole))
        return outs

    return run


def _part(block: Block, span: Spans) -> Block:
    return tuple(each if has else slice(None) for each, has in zip(block, span, strict=True))


def _blocks(sizes: Sizes, most: int) -> Iterator[Block]:
    """Blocks of at most `most` elements that cover an array, each contiguous."""
    inner = math.prod(sizes[1:])
    if inner > most:
        for n in range(sizes[0]):
            for rest in _blocks(sizes[1:], most):
                yield (slice(n, n + 1), *rest)
        return
    rows = most // max(inner, 1)
    for first in range(0, sizes[0], rows):
        yield (slice(first, min(first + rows, sizes[0])), *(slice(None) for _ in sizes[1:]))
