"""transpose2 of float32."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function, Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_gather_rows, _turn_axes = Function("permute.gather_rows"), Function("permute.turn_axes")

_OTHERS = 3
"""How many axes compiled functions know beside the two that are turned."""

Axes = list[tuple[int, int]]
"""Axes in the order of the result: their sizes, and how far apart their elements lie in the input."""


def merged(shape: Sequence[int], permutation: Sequence[int]) -> Axes:
    """The axes of the result, without those of size 1, and those as one that stay together."""
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    found: Axes = []
    for axis in permutation:
        size, step = shape[axis], steps[axis]
        if size == 1:
            continue
        if found and found[-1][1] == size * step:
            found[-1] = (found[-1][0] * size, step)
        else:
            found.append((size, step))
    return found or [(1, 1)]


@kernel("transpose2", "cpu", dtype=DType.FLOAT32, fallback="host")
def transpose2(ctx: PrepareContext) -> KernelFunction | None:
    """X with its axes permuted, in contiguous memory; XShape is an empty array that tells X's shape."""
    shape = ctx.inputs["X"][0].sizes
    permutation = [axis % len(shape) for axis in ctx.attrs.integers("axis")]
    axes, size = merged(shape, permutation), math.prod(shape)
    last = axes[-1][1]
    if not size or len(axes) - (1 if last == 1 else 2) > _OTHERS:
        return None
    turn = _rows(axes) if last == 1 else _turned(axes)
    out_shape = tuple(shape[each] for each in permutation)

    def run(X: Array, *, out: tuple[Array, Array | None] | None = None) -> tuple[Array, Array]:
        result = np.empty(out_shape, np.float32) if out is None else out[0]
        turn(X, result)
        return result, X[None][:0]

    return run


def _rows(axes: Axes) -> Job:
    """The innermost axis stays: rows are copied."""
    width = axes[-1][0]
    (first, step), (second, second_step), (third, third_step) = _padded(axes[:-1])
    return _gather_rows.bind(
        FREE, FREE, second, third, step, second_step, third_step, width,
        count=first * second, cost=PER_ELEMENT * first * second * third * width,
    )  # fmt: skip


def _turned(axes: Axes) -> Job:
    """Two axes change places, for each element of the others."""
    from lite.kernels.cpu.work_items import TURNED_COLUMNS

    sizes = [size for size, _ in axes]
    out_steps = [math.prod(sizes[place + 1 :]) for place in range(len(axes))]
    place = next(n for n, (_, step) in enumerate(axes) if step == 1)
    columns, (rows, row_step) = sizes[place], axes[-1]
    others = [n for n in range(len(axes) - 1) if n != place]
    (first, step), (second, second_step), (third, third_step) = _padded([axes[n] for n in others])
    (_, out_step), (_, second_out_step), (_, third_out_step) = _padded([(1, out_steps[n]) for n in others])
    return _turn_axes.bind(
        FREE, FREE, second, third, step, second_step, third_step, out_step, second_out_step, third_out_step,
        rows, row_step, columns, out_steps[place],
        count=first * second * third * -(-columns // TURNED_COLUMNS), cost=PER_ELEMENT * math.prod(sizes),
    )  # fmt: skip


def _padded(axes: Axes) -> Axes:
    return [(1, 0)] * (_OTHERS - len(axes)) + axes
