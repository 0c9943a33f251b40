"""transpose2 of elements of any size."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.arrays import as_words
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_gather_rows, _transpose_axes = (
    Function("moves.transpose.gather_rows"),
    Function("moves.transpose.transpose_axes"),
)
_gather_bytes, _transpose_squares = (
    Function("moves.byte_layout.gather_rows"),
    Function("moves.byte_layout.transpose_axes"),
)

_WORD = 4
"""Bytes of the elements that compiled functions move as float32."""

_EXCHANGED = (1, 2, _WORD, 8)
"""Bytes of the elements of matrices that are transposed."""

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


def transpose2(ctx: PrepareContext) -> KernelFunction | None:
    """X with its axes permuted, as a contiguous array; XShape is an empty array ``[0, *X.shape]``."""
    dtype = ctx.inputs["X"][0].dtype.numpy
    shape = ctx.inputs["X"][0].sizes
    permutation = [axis % len(shape) for axis in ctx.attrs.integers("axis")]
    transpose = transposition(shape, permutation, dtype.itemsize)
    if transpose is None:
        return None
    out_shape = tuple(shape[each] for each in permutation)

    def run(X: Array, *, out: tuple[Array, Array | None] | None = None) -> tuple[Array, Array]:
        result = np.empty(out_shape, dtype) if out is None else out[0]
        transpose(as_words(X), as_words(result))
        return result, X[None][:0]

    return only_launches(run)


for _dtype in filter(is_plain, DType):
    kernel("transpose2", "cpu", dtype=_dtype, fallback="host")(transpose2)


def transposition(shape: Sequence[int], permutation: Sequence[int], size: int = _WORD) -> Job | None:
    """The job that permutes the axes of an array of elements of `size` bytes.

    None for an array without elements, for too many axes, and for matrices of elements of 16 bytes.
    """
    axes = merged(shape, permutation)
    is_gathered = axes[-1][1] == 1
    if 0 in shape or len(axes) - (1 if is_gathered else 2) > _OTHERS:
        return None
    if is_gathered:
        return _rows(axes, size)
    return _transposed(axes, size) if size in _EXCHANGED else None


def _rows(axes: Axes, size: int) -> Job:
    """The job where the innermost axis stays the innermost: copy rows."""
    gather, unit = (_gather_rows, 1) if size == _WORD else (_gather_bytes, size)
    width = axes[-1][0]
    (first, step), (second, second_step), (third, third_step) = _padded(axes[:-1])
    return gather.bind(
        FREE, FREE, second, third, step * unit, second_step * unit, third_step * unit, width * unit,
        count=first * second, cost=_cost(axes, size),
    )  # fmt: skip


def _transposed(axes: Axes, size: int) -> Job:
    """The job where another axis becomes the innermost: transpose matrices."""
    from lite.kernels.cpu.tile_sizes import TRANSPOSED

    unit = 1 if size == _WORD else size
    sizes = [count for count, _ in axes]
    out_steps = [math.prod(sizes[place + 1 :]) for place in range(len(axes))]
    place = next(n for n, (_, step) in enumerate(axes) if step == 1)
    columns, (rows, row_step) = sizes[place], axes[-1]
    others = [n for n in range(len(axes) - 1) if n != place]
    (first, step), (second, second_step), (third, third_step) = _padded([axes[n] for n in others])
    (_, out_step), (_, second_out_step), (_, third_out_step) = _padded([(1, out_steps[n]) for n in others])
    steps = (step, second_step, third_step, out_step, second_out_step, third_out_step)
    matrix = (rows, row_step * unit, columns, out_steps[place] * unit)
    exchange, last = (_transpose_axes, ()) if size == _WORD else (_transpose_squares, (size,))
    return exchange.bind(
        FREE, FREE, second, third, *(each * unit for each in steps), *matrix, *last,
        count=first * second * third * -(-max(rows, columns) // TRANSPOSED), cost=_cost(axes, size),
    )  # fmt: skip


def _cost(axes: Axes, size: int) -> float:
    return PER_ELEMENT * math.prod(count for count, _ in axes) * size / _WORD


def _padded(axes: Axes) -> Axes:
    return [(1, 0)] * (_OTHERS - len(axes)) + axes
