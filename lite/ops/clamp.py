"""Piecewise linear activations."""

from __future__ import annotations

import math

from lite.dataclass import dataclass


@dataclass(frozen=True)
class Clamp:
    """The function ``min(max(slope · x + offset, low), high) · factor``, times x where `gated`."""

    slope: float = 1.0
    offset: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    gated: bool = False
    factor: float = 1.0

    @property
    def is_clip(self) -> bool:
        """Whether it only limits x: ``min(max(x, low), high)``."""
        return (self.slope, self.offset, self.gated, self.factor) == (1.0, 0.0, False, 1.0)

    def folded(self) -> Clamp:
        """The same function with a factor of 1 and its bounds in order."""
        bounds = (min(self.low, self.high) * self.factor, self.high * self.factor)
        low, high = bounds if self.factor > 0 else bounds[::-1]
        return Clamp(self.slope * self.factor, self.offset * self.factor, low, high, self.gated)
