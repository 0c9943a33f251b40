"""Emits LLVM code that rounds float32 numbers to bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit.emit import (
    BYTE,
    INTS,
    Emitted,
    at,
    by_llvm,
    call,
    constant,
    store_bytes,
)
from lite.kernels.cpu.compiled.jit.emit_extremes import smaller
from lite.kernels.cpu.tile_sizes import HAS_PAIRS, LANES

_BYTES = ir.VectorType(BYTE, LANES)
_WORDS = ir.VectorType(ir.IntType(16), 16)
_PAIR = ir.VectorType(BYTE, 16)
_GREATEST = constant(65536.0)
"""Beyond all bytes, and an int32 after any zero point."""


def quantized(builder: Any, vector: Emitted, zero: Emitted) -> Emitted:
    """round(vector) + zero, halves to even, saturated to 0 to 255, as bytes; NaN becomes 0."""
    if HAS_PAIRS:
        pair = _quantized_pair(builder, vector, vector, zero)
        lanes = ir.Constant(INTS, list(range(LANES)))
        return builder.shuffle_vector(pair, ir.Constant(_PAIR, ir.Undefined), lanes)
    rounded = builder.fadd(by_llvm(builder, "rint", vector), zero)
    least = builder.select(builder.fcmp_ordered(">", rounded, constant(0.0)), rounded, constant(0.0))
    return builder.trunc(builder.fptosi(smaller(builder, least, constant(255.0)), INTS), _BYTES)


def store_quantized(builder: Any, vectors: Sequence[Emitted], zero: Emitted, address: Emitted) -> None:
    """Store `quantized` of all vectors, one after the other."""
    size = 2 if HAS_PAIRS else 1
    for j in range(0, len(vectors), size):
        if j + size > len(vectors) or size == 1:
            codes = quantized(builder, vectors[j], zero)
        else:
            codes = _quantized_pair(builder, vectors[j], vectors[j + 1], zero)
        store_bytes(builder, codes, at(builder, address, j * LANES))


def _quantized_pair(builder: Any, first: Emitted, second: Emitted, zero: Emitted) -> Emitted:
    """`quantized` of two vectors by instructions of AVX2, whose conversions saturate: 16 bytes."""
    offset = _rounded(builder, zero)
    ints = [
        builder.add(_rounded(builder, smaller(builder, vector, _GREATEST)), offset)
        for vector in (first, second)
    ]
    words = call(builder, "llvm.x86.avx2.packssdw", _WORDS, ints)
    undefined = ir.Constant(_WORDS, ir.Undefined)
    # The instruction packs each half of the registers: words of both, in turn.
    halves = [
        builder.shuffle_vector(words, undefined, ir.Constant(INTS, [*range(n, n + 4), *range(n + 8, n + 12)]))
        for n in (0, 4)
    ]
    return call(builder, "llvm.x86.sse2.packuswb.128", _PAIR, halves)


def _rounded(builder: Any, vector: Emitted) -> Emitted:
    """int32 of the nearest integers, halves to even; the least int32 for NaN and what has no int32."""
    return call(builder, "llvm.x86.avx.cvt.ps2dq.256", INTS, [vector])
