"""Sums of four products of unsigned and signed bytes in each 32-bit lane, exact in every form."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.emit import INTS, Emitted
from lite.kernels.cpu.tile_sizes import HAS_DOT_PRODUCT, HAS_PAIRS, LANES

_HALVES = ir.VectorType(ir.IntType(16), 2 * LANES)
_QUARTERS = ir.VectorType(ir.IntType(8), 4 * LANES)
_BITS = 32 * LANES


def dot(builder: Any, accumulator: Emitted, numbers: Emitted, weights: Emitted) -> Emitted:
    """`accumulator` plus, in each lane, four products of uint8 of `numbers` and int8 of `weights`."""
    if HAS_DOT_PRODUCT:
        name = f"llvm.x86.avx512.vpdpbusd.{_BITS}"
        return emit.call(builder, name, INTS, [accumulator, numbers, weights])
    if HAS_PAIRS:
        return _by_pairs(builder, accumulator, numbers, weights)
    return _by_lanes(builder, accumulator, numbers, weights)


def short_dot(builder: Any, accumulator: Emitted, numbers: Emitted, weights: Emitted) -> Emitted:
    """`dot` with AVX2 where sums of two products fit 16 bits: neighbouring weights add up to 128 at most."""
    pixels, signed = (builder.bitcast(vector, _QUARTERS) for vector in (numbers, weights))
    sums = emit.call(builder, "llvm.x86.avx2.pmadd.ub.sw", _HALVES, [pixels, signed])
    ones = ir.Constant(_HALVES, [1] * 2 * LANES)
    return builder.add(accumulator, emit.call(builder, "llvm.x86.avx2.pmadd.wd", INTS, [sums, ones]))


def dot_words(builder: Any, accumulator: Emitted, numbers: Emitted, weights: Emitted) -> Emitted:
    """`accumulator` plus, in each lane, two products of int16 of `numbers` and of `weights`; wraps around."""
    if HAS_PAIRS:
        words, signed = (builder.bitcast(vector, _HALVES) for vector in (numbers, weights))
        pairs = emit.call(builder, "llvm.x86.avx2.pmadd.wd", INTS, [words, signed])
        return builder.add(accumulator, pairs)
    sixteen = ir.Constant(INTS, [16] * LANES)
    low = (builder.shl(vector, sixteen) for vector in (numbers, weights))
    for pair in (low, (numbers, weights)):
        number, weight = (builder.ashr(vector, sixteen) for vector in pair)
        accumulator = builder.add(accumulator, builder.mul(number, weight))
    return accumulator


def _by_pairs(builder: Any, accumulator: Emitted, numbers: Emitted, weights: Emitted) -> Emitted:
    """By products of 16-bit numbers, of which two are added in 32 bits (AVX2): the odd and the even bytes."""
    mask = ir.Constant(INTS, [0x00FF00FF] * LANES)
    eight = ir.Constant(_HALVES, [8] * 2 * LANES)
    halves = builder.bitcast(weights, _HALVES)
    even = builder.bitcast(builder.and_(numbers, mask), _HALVES)
    odd = builder.lshr(builder.bitcast(numbers, _HALVES), eight)
    for pixels, signed in (
        (even, builder.ashr(builder.shl(halves, eight), eight)),
        (odd, builder.ashr(halves, eight)),
    ):
        pairs = emit.call(builder, "llvm.x86.avx2.pmadd.wd", INTS, [pixels, signed])
        accumulator = builder.add(accumulator, pairs)
    return accumulator


def _by_lanes(builder: Any, accumulator: Emitted, numbers: Emitted, weights: Emitted) -> Emitted:
    """By products of 32-bit numbers, on every processor."""
    byte, top = ir.Constant(INTS, [255] * LANES), ir.Constant(INTS, [24] * LANES)
    for shift in (0, 8, 16, 24):
        down, up = ir.Constant(INTS, [shift] * LANES), ir.Constant(INTS, [24 - shift] * LANES)
        pixel = builder.and_(builder.lshr(numbers, down), byte)
        weight = builder.ashr(builder.shl(weights, up), top)
        accumulator = builder.add(accumulator, builder.mul(pixel, weight))
    return accumulator
