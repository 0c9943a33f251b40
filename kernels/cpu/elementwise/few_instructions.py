"""The program of a small fusion_group, one compiled function after the other.

To compile a loop for it would take longer than its runs, and numpy keeps it from joining other launches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType, Place
from lite.ops import Meta
from lite.ops.fusion_program import Instruction
from lite.plugin.kernel import KERNELS, Array, Attributes, KernelFunction, PrepareContext
from lite.plugin.kernel.fusion_stages import sizes_of
from lite.plugin.kernel.launches import OnlyLaunches, only_launches
from lite.plugin.kernel.merged_axes import Sizes
from lite.plugin.loader import load_kernels

_SLOTS = ("X", "Y")


def one_by_one(
    instructions: Sequence[Instruction], results: Sizes, shapes: Sequence[Sizes]
) -> KernelFunction | None:
    """The functions of the instructions' ops; None where an op has none that only launches."""
    load_kernels({each.op for each in instructions})
    inputs, sizes = len(shapes), sizes_of(instructions, shapes)
    functions: list[KernelFunction] = []
    for number, each in enumerate(instructions, inputs):
        function = _function(each, [sizes[operand] for operand in each.operands], sizes[number])
        if function is None:
            return None
        functions.append(function)
    inner = {n: np.empty(sizes[n], np.float32) for n in range(inputs, len(sizes)) if n not in results}

    def run(X: Array, Inputs: Sequence[Array] | None, *, out: Sequence[Array] | None = None) -> list[Array]:
        written = [np.empty(sizes[n], np.float32) for n in results] if out is None else out
        buffers = {**inner, **dict(zip(results, written, strict=True))}
        values = [X, *(Inputs or ())]
        for number, (function, each) in enumerate(zip(functions, instructions, strict=True), inputs):
            values.append(function(*[values[operand] for operand in each.operands], out=buffers[number]))
        return list(written)

    return only_launches(run)


def _function(instruction: Instruction, shapes: Sequence[Sizes], shape: Sizes) -> KernelFunction | None:
    kernel = KERNELS.find((instruction.op, Place("cpu", DType.FLOAT32)))
    if kernel is None or kernel.prepare is None:
        return None
    inputs = {slot: [Meta(DType.FLOAT32, each)] for slot, each in zip(_SLOTS, shapes, strict=False)}
    outputs = {"Out": [Meta(DType.FLOAT32, shape)]}
    attrs = Attributes(instruction.op, instruction.attrs())
    function = kernel.prepare(PrepareContext(inputs, outputs, attrs, lambda _, make: make()))
    return function.run if isinstance(function, OnlyLaunches) and function.check is None else None
