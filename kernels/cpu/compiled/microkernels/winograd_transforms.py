"""The transforms of Winograd's convolution F(4×4, 3×3), for vectors of channels.

A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, constant, integer
from lite.kernels.cpu.convolution.winograd import SIZE
from lite.kernels.cpu.tile_sizes import LANES

INPUT_TRANSFORM = (
    (4, 0, -5, 0, 1, 0),
    (0, -4, -4, 1, 1, 0),
    (0, 4, -4, -1, 1, 0),
    (0, -2, -1, 2, 1, 0),
    (0, 2, -1, -2, 1, 0),
    (0, 4, 0, -5, 0, 1),
)
"""B^T."""

OUTPUT_TRANSFORM = ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1))
"""A^T."""


@instruction
def transform_input(
    typing: Any, x: Any, row_step: Any, pixel_step: Any, count: Any, out: Any, start: Any, step: Any
) -> Any:  # fmt: skip
    """``B^T d B`` of the window at address `x`; its elements are `step` apart in `out`, from `start` on.

    `count` is the number of channels from the first on.
    """
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, row_step, pixel_step, count, out, start, step = args
        first = builder.inttoptr(x, emit.FLOAT.as_pointer())
        dest = at(builder, emit.data(context, builder, sig.args[4], out), start)
        bounds.enclosing(builder, first, dest)
        places = [
            [
                at(
                    builder,
                    at(builder, first, builder.mul(row_step, integer(i))),
                    builder.mul(pixel_step, integer(j)),
                )
                for j in range(SIZE)
            ]
            for i in range(SIZE)
        ]
        targets = [at(builder, dest, builder.mul(step, integer(n))) for n in range(SIZE * SIZE)]
        is_whole = builder.icmp_signed(">=", count, integer(LANES))
        with builder.if_else(is_whole, likely=True) as (whole, part):
            with whole:
                window = [[emit.load(builder, place) for place in row] for row in places]
                for vector, target in zip(
                    _transformed(builder, INPUT_TRANSFORM, window), targets, strict=True
                ):
                    emit.store(builder, vector, target)
            with part:
                mask = emit.first_lanes(builder, count)
                window = [[emit.load_masked(builder, place, mask) for place in row] for row in places]
                for vector, target in zip(
                    _transformed(builder, INPUT_TRANSFORM, window), targets, strict=True
                ):
                    emit.store_masked(builder, vector, target, mask)
        return context.get_dummy_value()

    return types.void(i, i, i, i, out, i, i), generate


@instruction
def transform_output(typing: Any, x: Any, start: Any, step: Any, bias: Any, channel: Any, out: Any) -> Any:
    """``A^T m A`` of the elements from `start` on, `step` apart, plus bias, as ``[16, LANES]`` in `out`."""
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, start, step, bias, channel, out = args
        first = at(builder, emit.data(context, builder, sig.args[0], x), start)
        dest = emit.data(context, builder, sig.args[5], out)
        window = [
            [
                emit.load(builder, at(builder, first, builder.mul(step, integer(i * SIZE + j))))
                for j in range(SIZE)
            ]
            for i in range(SIZE)
        ]
        summand = emit.load(builder, at(builder, emit.data(context, builder, sig.args[3], bias), channel))
        for n, vector in enumerate(_transformed(builder, OUTPUT_TRANSFORM, window)):
            emit.store(builder, builder.fadd(vector, summand), at(builder, dest, n * LANES))
        return context.get_dummy_value()

    return types.void(x, i, i, bias, i, out), generate


def _transformed(builder: Any, matrix: Sequence[Sequence[int]], window: list[list[Emitted]]) -> list[Emitted]:
    """``M w M^T``, row by row."""
    columns = [[row[j] for row in window] for j in range(SIZE)]
    half = [[_combined(builder, factors, column) for column in columns] for factors in matrix]
    return [_combined(builder, factors, row) for row in half for factors in matrix]


def _combined(builder: Any, factors: Sequence[int], vectors: Sequence[Emitted]) -> Emitted:
    total: Emitted = None
    for factor, vector in sorted(zip(factors, vectors, strict=True), key=lambda pair: abs(pair[0]) != 1):
        if factor == 0:
            continue
        if total is None:
            total = vector if factor == 1 else builder.fmul(vector, constant(factor))
        elif abs(factor) == 1:
            total = (builder.fadd if factor > 0 else builder.fsub)(total, vector)
        else:
            total = emit.fma(builder, vector, constant(factor), total)
    return total
