"""The logarithm of vectors."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import constant, fma
from lite.kernels.cpu.compiled.jit.vector import VECTOR
from lite.kernels.cpu.tile_sizes import LANES

_INTS = ir.VectorType(ir.IntType(32), LANES)

_SERIES = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
"""Coefficients of log(1 + x), from the highest power on, from ``logf`` of Cephes (S. Moshier 1992)."""


@instruction
def log(typing: Any, a: Any) -> Any:
    """The natural logarithm of normal, positive, finite numbers, and of NaN; undefined for others."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def ints(number: int) -> Any:
            return ir.Constant(_INTS, [number] * LANES)

        bits = builder.bitcast(args[0], _INTS)
        # The number is a power of two times a fraction between √½ and √2.
        fraction = builder.bitcast(
            builder.or_(builder.and_(bits, ints(0x7FFFFF)), ints(0x3F000000)), emit.VECTOR
        )
        power = builder.sitofp(builder.sub(builder.lshr(bits, ints(23)), ints(126)), emit.VECTOR)
        is_low = builder.fcmp_ordered("<", fraction, constant(0.7071067811865476))
        power = builder.select(is_low, builder.fsub(power, constant(1.0)), power)
        doubled = builder.select(is_low, builder.fadd(fraction, fraction), fraction)
        x = builder.fsub(doubled, constant(1.0))
        series = constant(_SERIES[0])
        for coefficient in _SERIES[1:]:
            series = fma(builder, series, x, constant(coefficient))
        square = builder.fmul(x, x)
        y = builder.fmul(builder.fmul(series, x), square)
        y = fma(builder, power, constant(-2.12194440e-4), y)
        y = fma(builder, square, constant(-0.5), y)
        result = fma(builder, power, constant(0.693359375), builder.fadd(x, y))
        return builder.select(builder.fcmp_unordered("uno", args[0], args[0]), args[0], result)

    return VECTOR(VECTOR), generate
