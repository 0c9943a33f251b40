"""Real factors as the multipliers and shifts of the chip: factor ≈ multiplier · 2^-shift."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.errors import CompileError

_BITS = 31
_GREATEST_SHIFT = 62
_SUM_BITS = 20
"""Bits of the multipliers of a sum of two products."""


def fixed_point(factor: float) -> tuple[int, int]:
    """The multiplier, of 31 bits, and the shift of a positive factor; raises `CompileError` beyond 2^29."""
    fraction, exponent = math.frexp(factor)
    multiplier, shift = round(fraction * 2**_BITS), _BITS - exponent
    if multiplier == 2**_BITS:
        multiplier, shift = multiplier // 2, shift - 1
    if shift < 1:
        raise CompileError(f"sim_npu: the ratio {factor:g} of the scales is above 2^29, the chip's greatest")
    if shift > _GREATEST_SHIFT:
        return 0, _GREATEST_SHIFT
    return multiplier, shift


def fixed_points(factors: Sequence[float]) -> dict[str, list[int]]:
    """The attributes ``multipliers`` and ``shifts`` of several factors."""
    pairs = [fixed_point(float(factor)) for factor in factors]
    return {"multipliers": [pair[0] for pair in pairs], "shifts": [pair[1] for pair in pairs]}


def shared_shift(factors: Sequence[float]) -> dict[str, list[int]]:
    """The multipliers of several factors, which may be negative, with one shift."""
    _, exponent = math.frexp(max(abs(factor) for factor in factors))
    shift = min(max(_SUM_BITS - exponent, 1), _GREATEST_SHIFT)
    return {"multipliers": [round(factor * 2**shift) for factor in factors], "shifts": [shift]}
