"""Histogram: counts a stream of numbers in bins around 0; the range grows with the numbers."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array
from lite.quantization.grid import LEAST

HALF = 4096
"""The number of bins on each side of 0."""


class Histogram:
    """Counts in equal bins of ``[-limit, limit]``, and the least and the greatest number, `low` and `high`.

    When a number lies outside the bins, the limit doubles and each two neighbouring bins become one.  So the
    memory is constant and no count is lost.
    """

    def __init__(self) -> None:
        self.counts = np.zeros(2 * HALF, np.int64)
        self.limit = 0.0
        self.low = np.inf
        self.high = -np.inf

    def add(self, array: Array) -> None:
        """Count the elements of a ``float32[...]`` that is not empty and has only finite elements."""
        low, high = float(array.min()), float(array.max())
        self.low, self.high = min(self.low, low), max(self.high, high)
        reach = max(-low, high)
        if reach < LEAST:
            self.counts[HALF] += array.size
            return
        if self.limit == 0.0:
            self.limit = reach
        while reach > self.limit:
            self._widen()
        position = array.reshape(-1) * np.float32(HALF / self.limit) + np.float32(HALF)
        bins = np.clip(position.astype(np.int32), 0, 2 * HALF - 1)
        self.counts += np.bincount(bins, minlength=2 * HALF)

    def _widen(self) -> None:
        pairs = self.counts.reshape(HALF, 2).sum(axis=1)
        self.counts = np.zeros_like(self.counts)
        self.counts[HALF // 2 : HALF // 2 + HALF] = pairs
        self.limit *= 2

    @property
    def centres(self) -> Array:
        """The middle of each bin, ``float64[2 * HALF]``."""
        return (np.arange(2 * HALF) - HALF + 0.5) * (self.limit / HALF)

    def quantile(self, fraction: float) -> float:
        """The quantile: this fraction of all elements is at most the result, up to the width of a bin."""
        if self.limit == 0.0:
            return 0.0
        cumulated = np.cumsum(self.counts)
        position = int(np.searchsorted(cumulated, fraction * cumulated[-1], side="left"))
        edge = (position + 1 - HALF) * (self.limit / HALF)
        return min(max(edge, self.low), self.high)
