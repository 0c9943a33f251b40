"""Emits LLVM code for the larger and the smaller of two numbers or vectors."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit.emit import CURRENT_ROUNDING, VECTOR, Emitted, call
from lite.kernels.cpu.tile_sizes import HAS_EXTREMES, LANES


def larger(builder: Any, a: Emitted, bound: Emitted) -> Emitted:
    """max(a, bound); NaN where `a` is NaN."""
    if HAS_EXTREMES and a.type == VECTOR:
        return _extreme(builder, "max", bound, a)
    return builder.select(builder.fcmp_ordered("<", a, bound), bound, a)


def maximum(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    """max(a, b); NaN where either is NaN."""
    return builder.select(builder.fcmp_unordered("uno", b, b), b, larger(builder, a, b))


def smaller(builder: Any, a: Emitted, bound: Emitted) -> Emitted:
    """min(a, bound); NaN where `a` is NaN."""
    if HAS_EXTREMES and a.type == VECTOR:
        return _extreme(builder, "min", bound, a)
    return builder.select(builder.fcmp_ordered(">", a, bound), bound, a)


def _extreme(builder: Any, name: str, bound: Emitted, a: Emitted) -> Emitted:
    """One instruction of x86, which gives `a` where either is NaN; LLVM would merge it with comparisons."""
    if LANES == 16:
        return call(
            builder, f"llvm.x86.avx512.{name}.ps.512", VECTOR, [bound, a, ir.IntType(32)(CURRENT_ROUNDING)]
        )
    return call(builder, f"llvm.x86.avx.{name}.ps.256", VECTOR, [bound, a])


def minimum(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    """min(a, b); NaN where either is NaN."""
    return builder.select(builder.fcmp_unordered("uno", b, b), b, smaller(builder, a, b))
