"""The transforms of Winograd's convolution F(4×4, 3×3) in integers, which are exact.

`lite.kernels.cpu.quantize.winograd` has the formula and the bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import INTS, Emitted, at, integer
from lite.kernels.cpu.compiled.microkernels.epilogue import Tile
from lite.kernels.cpu.compiled.microkernels.results import Results, addresses
from lite.kernels.cpu.compiled.microkernels.winograd_transforms import INPUT_TRANSFORM
from lite.kernels.cpu.convolution.winograd import SIZE, STEP
from lite.kernels.cpu.quantize.winograd import HALVINGS, INVERSE, OUTPUT_TRANSFORM
from lite.kernels.cpu.tile_sizes import LANES

_WORD = ir.IntType(16)


@instruction
def transform_bytes(
    typing: Any, call: Any, x: Any, row_step: Any, pixel_step: Any, count: Any, out: Any, step: Any
) -> Any:  # fmt: skip
    """``B^T d B`` of the window of bytes at the address `x`, as int16 at the address `out`.

    Elements of the result are `step` bytes apart.  There are `count` channels, a multiple of `LANES`.
    """
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        sibling, x, row_step, pixel_step, count, out, step = addresses(context, builder, sig.args, args)
        first, dest = (builder.inttoptr(address, emit.BYTE.as_pointer()) for address in (x, out))
        for pointer in (first, dest):
            bounds.enclosing(builder, pointer, sibling)
        with builder.if_else(builder.icmp_signed(">=", count, integer(2 * LANES))) as (two, one):
            for branch, lanes in ((two, 2 * LANES), (one, LANES)):
                with branch:
                    _transform(builder, first, row_step, pixel_step, dest, step, lanes)
        return context.get_dummy_value()

    return types.void(call, i, i, i, i, i, i), generate


def _transform(
    builder: Any, x: Emitted, row_step: Emitted, pixel_step: Emitted, out: Emitted, step: Emitted, lanes: int
) -> None:
    loaded, words = ir.VectorType(emit.BYTE, lanes), ir.VectorType(_WORD, lanes)
    window: list[list[Emitted]] = []
    for i in range(SIZE):
        row = at(builder, x, builder.mul(row_step, integer(i)))
        places = [at(builder, row, builder.mul(pixel_step, integer(j))) for j in range(SIZE)]
        window.append([])
        for place in places:
            bounds.check(builder, place, lanes)
            vector = builder.load(builder.bitcast(place, loaded.as_pointer()))
            vector.align = 1
            window[-1].append(builder.zext(vector, words))
    for n, vector in enumerate(_transformed(builder, INPUT_TRANSFORM, window)):
        place = at(builder, out, builder.mul(step, integer(n)))
        bounds.check(builder, place, 2 * lanes)
        builder.store(vector, builder.bitcast(place, words.as_pointer())).align = 2


@instruction
def transform_sums(
    typing: Any, x: Any, start: Any, step: Any, vectors: Any, channel: Any, out: Any, dest: Any
) -> Any:  # fmt: skip
    """The pixels of the sums from element `start` on, `step` elements apart, as
    ``[16, LANES]`` in `out` from element `dest` on.

    `vectors` has the first sums, factors and biases, as `quantized_tiles` describes.
    """
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, start, step, vectors, channel, out, dest = addresses(context, builder, sig.args, args)
        first, target = at(builder, x, start), at(builder, out, dest)
        window = [
            [
                emit.load_ints(builder, at(builder, first, builder.mul(step, integer(i * SIZE + j))))
                for j in range(SIZE)
            ]
            for i in range(SIZE)
        ]
        place = at(builder, vectors, builder.mul(channel, integer(3)))
        zeros, factors, biases = (emit.load(builder, at(builder, place, n * LANES)) for n in range(3))
        zeros = builder.bitcast(zeros, INTS)
        inverse = ir.Constant(INTS, [INVERSE] * LANES)
        for n, vector in enumerate(_transformed(builder, OUTPUT_TRANSFORM, window)):
            halvings = HALVINGS[n // STEP] + HALVINGS[n % STEP]
            exact = builder.ashr(builder.mul(vector, inverse), ir.Constant(INTS, [halvings] * LANES))
            number = builder.sitofp(builder.add(exact, zeros), emit.VECTOR)
            emit.store(builder, emit.fma(builder, number, factors, biases), at(builder, target, n * LANES))
        return context.get_dummy_value()

    return types.void(x, i, i, vectors, i, out, i), generate


def _transformed(builder: Any, matrix: Sequence[Sequence[int]], window: list[list[Emitted]]) -> list[Emitted]:
    """``M w M^T``, row by row."""
    columns = [[row[j] for row in window] for j in range(SIZE)]
    half = [[_combined(builder, factors, column) for column in columns] for factors in matrix]
    return [_combined(builder, factors, row) for row in half for factors in matrix]


def _combined(builder: Any, factors: Sequence[int], vectors: Sequence[Emitted]) -> Emitted:
    """The sum of products; the first summand is one that is added."""
    terms = [pair for pair in zip(factors, vectors, strict=True) if pair[0]]
    total: Emitted = None
    for factor, vector in sorted(terms, key=lambda pair: pair[0] < 0):
        kind = vector.type
        size = ir.Constant(kind, [abs(factor)] * kind.count)
        term = vector if abs(factor) == 1 else builder.mul(vector, size)
        combine = builder.add if factor > 0 else builder.sub
        total = term if total is None else combine(total, term)
    return total


@instruction
def write_pixels(
    typing: Any, pixels: Any, start: Any, number: Any, channel: Any, count: Any, flags: Any, parameters: Any,
    residual: Any, scale: Any, shift: Any, out: Any, codes: Any, out_scale: Any, out_zero: Any,
    out_start: Any, out_step: Any,
) -> Any:  # fmt: skip
    """Apply the epilogue to vectors of `number` pixels, one or four, from element `start` on; write them."""
    i, f = types.int64, types.float32

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pixels, start, number, *rest = addresses(context, builder, sig.args, args)
        first, results = at(builder, pixels, start), Results(rest)
        with builder.if_else(builder.icmp_signed("==", number, integer(STEP))) as (row, single):
            for branch, size in ((row, STEP), (single, 1)):
                with branch:
                    vectors = [
                        [emit.variable(builder, emit.load(builder, at(builder, first, n * LANES)))]
                        for n in range(size)
                    ]
                    results.write(builder, Tile(builder, vectors, results.channel, results.count))
        return context.get_dummy_value()

    return types.void(
        pixels, i, i, i, i, i, parameters, residual, scale, shift, out, codes, f, f, i, i
    ), generate
