"""transpose2 of elements of 4 bytes, and of bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.arrays import as_words
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_gather_rows, _transpose_axes = Function("transpose.gather_rows"), Function("transpose.transpose_axes")
_gather_bytes, _transpose_bytes = Function("byte_layout.gather_rows"), Function("byte_layout.transpose_axes")

_OTHERS = 3
"""The axes that compiled functions take besides the two that they exchange."""

Axes = list[tuple[int, int]]
"""Axes in the order of the result: their sizes, and their strides in the input, in elements."""


def merged(shape: Sequence[int], permutation: Sequence[int]) -> Axes:
    """The axes of the result, without axes of size 1; axes that stay neighbours are merged."""
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    axes: Axes = []
    for axis in permutation:
        size, step = shape[axis], steps[axis]
        if size == 1:
            continue
        if axes and axes[-1][1] == size * step:
            axes[-1] = (axes[-1][0] * size, step)
        else:
            axes.append((size, step))
    return axes or [(1, 1)]


@kernel("transpose2", "cpu", dtype=DType.INT32, fallback="host")
@kernel("transpose2", "cpu", dtype=DType.FLOAT32, fallback="host")
def transpose2(ctx: PrepareContext) -> KernelFunction | None:
    """X with its axes permuted, as a contiguous array; XShape is an empty array ``[0, *X.shape]``."""
    return _prepare(ctx, _gather_rows, _transpose_axes)


@kernel("transpose2", "cpu", dtype=DType.UINT8, fallback="host")
def transpose2_bytes(ctx: PrepareContext) -> KernelFunction | None:
    """The same of uint8."""
    return _prepare(ctx, _gather_bytes, _transpose_bytes)


def _prepare(ctx: PrepareContext, gather: Function, exchange: Function) -> KernelFunction | None:
    dtype = ctx.inputs["X"][0].dtype.numpy
    shape = ctx.inputs["X"][0].sizes
    permutation = [axis % len(shape) for axis in ctx.attrs.integers("axis")]
    transpose = transposition(shape, permutation, gather, exchange)
    if transpose is None:
        return None
    out_shape = tuple(shape[each] for each in permutation)

    def run(X: Array, *, out: tuple[Array, Array | None] | None = None) -> tuple[Array, Array]:
        result = np.empty(out_shape, dtype) if out is None else out[0]
        transpose(as_words(X), as_words(result))
        return result, X[None][:0]

    return only_launches(run)


def transposition(
    shape: Sequence[int],
    permutation: Sequence[int],
    gather: Function = _gather_rows,
    exchange: Function = _transpose_axes,
) -> Job | None:
    """The job that permutes the axes of an array; None for one without elements, and for too many axes."""
    axes = merged(shape, permutation)
    last = axes[-1][1]
    if 0 in shape or len(axes) - (1 if last == 1 else 2) > _OTHERS:
        return None
    return _rows(gather, axes) if last == 1 else _transposed(exchange, axes)


def _rows(gather: Function, axes: Axes) -> Job:
    """The job where the innermost axis stays the innermost: copy rows."""
    width = axes[-1][0]
    (first, step), (second, second_step), (third, third_step) = _padded(axes[:-1])
    return gather.bind(
        FREE, FREE, second, third, step, second_step, third_step, width,
        count=first * second, cost=PER_ELEMENT * first * second * third * width,
    )  # fmt: skip


def _transposed(exchange: Function, axes: Axes) -> Job:
    """The job where another axis becomes the innermost: transpose matrices."""
    from lite.kernels.cpu.tile_sizes import TRANSPOSED_COLUMNS

    sizes = [size for size, _ in axes]
    out_steps = [math.prod(sizes[place + 1 :]) for place in range(len(axes))]
    place = next(n for n, (_, step) in enumerate(axes) if step == 1)
    columns, (rows, row_step) = sizes[place], axes[-1]
    others = [n for n in range(len(axes) - 1) if n != place]
    (first, step), (second, second_step), (third, third_step) = _padded([axes[n] for n in others])
    (_, out_step), (_, second_out_step), (_, third_out_step) = _padded([(1, out_steps[n]) for n in others])
    return exchange.bind(
        FREE, FREE, second, third, step, second_step, third_step, out_step, second_out_step, third_out_step,
        rows, row_step, columns, out_steps[place],
        count=first * second * third * -(-columns // TRANSPOSED_COLUMNS), cost=PER_ELEMENT * math.prod(sizes),
    )  # fmt: skip


def _padded(axes: Axes) -> Axes:
    return [(1, 0)] * (_OTHERS - len(axes)) + axes
