"""Emits LLVM code for e^x of vectors."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit.emit import (
    CURRENT_ROUNDING,
    INTS,
    VECTOR,
    Emitted,
    by_llvm,
    call,
    constant,
    fma,
)
from lite.kernels.cpu.compiled.jit.emit_extremes import larger, smaller
from lite.kernels.cpu.tile_sizes import HAS_SCALES, LANES

_LOW, _HIGH = -87.33654, 88.72283
"""Below the first, results are 0, and above the second one infinite."""


def exp(builder: Any, x: Emitted) -> Emitted:
    """e^x = 2^n · e^r with n = round(x / ln 2), and a minimax polynomial for e^r with abs(r) ≤ ln 2 / 2.

    The coefficients are from ``expf`` of the Cephes library (S. Moshier 1992).
    """
    if HAS_SCALES:
        scaled = exp_below_88(builder, x)
    else:
        bounded = smaller(builder, larger(builder, x, constant(_LOW)), constant(_HIGH))
        fraction, power = _exp_parts(builder, bounded)
        whole = builder.fptosi(power, INTS)
        half = builder.ashr(whole, ir.Constant(INTS, [1] * LANES))
        # Two factors, as 2^n alone overflows for the largest n.
        first, second = (_power_of_two(builder, n) for n in (half, builder.sub(whole, half)))
        scaled = builder.fmul(builder.fmul(fraction, first), second)
        scaled = builder.select(builder.fcmp_ordered("<", x, constant(_LOW)), constant(0.0), scaled)
        scaled = builder.select(builder.fcmp_unordered("uno", x, x), x, scaled)
    return builder.select(builder.fcmp_ordered(">", x, constant(_HIGH)), constant(float("inf")), scaled)


def exp_below_88(builder: Any, x: Emitted) -> Emitted:
    """e^x, as `exp` computes it, of numbers up to 88."""
    bounded = x if HAS_SCALES else larger(builder, x, constant(_LOW))
    result = exp_between(builder, bounded)
    return builder.select(builder.fcmp_ordered("<", x, constant(_LOW)), constant(0.0), result)


def exp_between(builder: Any, x: Emitted) -> Emitted:
    """e^x, as `exp` computes it, of numbers from -87.3 to 88."""
    fraction, power = _exp_parts(builder, x)
    if HAS_SCALES:
        return _scaled(builder, fraction, power)
    return builder.fmul(fraction, _power_of_two(builder, builder.fptosi(power, INTS)))


def _exp_parts(builder: Any, x: Emitted) -> tuple[Emitted, Emitted]:
    """e^r and n."""
    power = by_llvm(builder, "rint", builder.fmul(x, constant(1.4426950408889634)))
    # ln 2 is the sum of two constants, so that the difference is exact.
    rest = fma(builder, power, constant(-0.693359375), x)
    rest = fma(builder, power, constant(2.12194440e-4), rest)
    series = constant(1.9875691500e-4)
    for coefficient in (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1):
        series = fma(builder, series, rest, constant(coefficient))
    return fma(builder, series, builder.fmul(rest, rest), builder.fadd(rest, constant(1.0))), power


def _power_of_two(builder: Any, whole: Emitted) -> Emitted:
    exponent = builder.add(whole, ir.Constant(INTS, [127] * LANES))
    return builder.bitcast(builder.shl(exponent, ir.Constant(INTS, [23] * LANES)), VECTOR)


def _scaled(builder: Any, fraction: Emitted, power: Emitted) -> Emitted:
    """``fraction · 2^power`` by one instruction (AVX-512), which overflows to infinity."""
    # With 16 lanes the instruction has a rounding mode of its own.
    rounding = [ir.IntType(32)(CURRENT_ROUNDING)] if LANES == 16 else []
    name = f"llvm.x86.avx512.mask.scalef.ps.{32 * LANES}"
    return call(builder, name, VECTOR, [fraction, power, constant(0.0), ir.IntType(LANES)(-1), *rounding])
