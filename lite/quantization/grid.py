"""Grid: the real numbers that the integers of a quantised tensor stand for; quantisation of weights."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array

LEAST = 1e-30
"""Magnitudes below this are 0: their steps would not be normal float32 numbers."""


@dataclass(frozen=True)
class Grid:
    """``real = (stored - zero_point) * step`` for integers from `least` to `most`."""

    step: float
    zero_point: int
    least: int
    most: int

    def nearest(self, array: Array) -> Array:
        """The real numbers of the grid that are nearest to ``float32[...]``; halves round to even."""
        stored = np.rint(array / np.float32(self.step)) + np.float32(self.zero_point)
        clipped = np.clip(stored, self.least, self.most) - np.float32(self.zero_point)
        return (clipped * np.float32(self.step)).astype(np.float32)


@dataclass(frozen=True)
class Scheme:
    """How activations become integers: signed around 0 if `symmetric`, else unsigned with a zero point."""

    symmetric: bool
    bits: int = 8

    @property
    def steps(self) -> int:
        """The number of steps between the ends of a range."""
        return int(2**self.bits) - (2 if self.symmetric else 1)

    def bounds(self, low: float, high: float) -> tuple[float, float]:
        """The range that the grid of ``[low, high]`` covers: it contains 0, and is symmetric on request.

        The range of a tensor that is always 0 is [-1, 1] or [0, 1]: any step represents it.
        """
        low, high = min(low, 0.0), max(high, 0.0)
        if max(-low, high) < LEAST:
            low, high = 0.0, 1.0
        return (-max(-low, high), max(-low, high)) if self.symmetric else (low, high)

    def grid(self, low: float, high: float) -> Grid:
        """The grid that covers ``[low, high]`` and represents 0 exactly."""
        low, high = self.bounds(low, high)
        step = float(np.float32((high - low) / self.steps))
        if self.symmetric:
            most = 2 ** (self.bits - 1) - 1
            return Grid(step, 0, -most - 1, most)
        return Grid(step, round(-low / step), 0, self.steps)


@dataclass(frozen=True)
class QuantizedWeight:
    """Integers ``int8[...]`` with a step for each index of `axis`: ``float32[C]``, or ``[1]`` for axis -1."""

    values: Array
    steps: Array
    axis: int
    bits: int

    @property
    def most(self) -> int:
        """The greatest integer; the least is its negative."""
        return most_of(self.bits)

    def dequantized(self) -> Array:
        """The weight as ``float32[...]``."""
        return (self.values * along(self.steps, self.axis, self.values.ndim)).astype(np.float32)


def most_of(bits: int) -> int:
    """The greatest integer of a symmetric grid: 127 for 8 bits."""
    return int(2 ** (bits - 1)) - 1


def quantize_weight(weight: Array, axis: int, bits: int, reach: Array | None = None) -> QuantizedWeight:
    """Symmetric integers of ``float32[...]`` up to its greatest magnitude, for each index of `axis`.

    Halves round to even.  A channel that is always 0 has the step 1.  `reach` are the numbers that become the
    greatest integer, where these are not the greatest magnitudes.
    """
    if reach is None:
        others = tuple(n for n in range(weight.ndim) if n != axis)
        reach = np.abs(weight).max(axis=others if axis >= 0 else None, initial=0.0).reshape(-1)
    most = most_of(bits)
    steps = (np.where(reach < LEAST, most, reach) / most).astype(np.float32)
    scaled = np.rint(weight / along(steps, axis, weight.ndim))
    return QuantizedWeight(np.clip(scaled, -most, most).astype(np.int8), steps, axis, bits)


def along(steps: Array, axis: int, rank: int) -> Array:
    """`steps` in a shape that broadcasts along `axis` of a tensor of this rank; axis -1 means one number."""
    shape = [1] * rank
    if axis >= 0:
        shape[axis] = steps.size
    return steps.reshape(shape)
