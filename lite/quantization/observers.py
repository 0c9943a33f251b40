"""Observers: what calibration learns about the range of an activation, by several methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.quantization.grid import Scheme
from lite.quantization.histogram import HALF, Histogram

FRACTIONS = np.linspace(1.0, 0.2, 81)
"""The parts of the whole range that the methods `kl` and `mse` try."""

Range = tuple[float, float]
"""The least and the greatest number that stay distinct; others are clipped."""


@dataclass(frozen=True)
class Tuning:
    """Parameters of the methods: a percentage for `percentile`, a rate for `moving_average`."""

    percentile: float = 99.99
    moving_rate: float = 0.9


class Observer(Protocol):
    """Sees the arrays of one activation, one for each run, and chooses its range."""

    def see(self, array: Array) -> None:
        """Take in ``float32[...]`` with finite elements, at least one; keeps no reference to it."""

    def range(self, scheme: Scheme) -> Range:
        """The range to quantise; `see` was called at least once."""


class MinMax:
    """The least and the greatest element of all runs."""

    def __init__(self) -> None:
        self._low, self._high = np.inf, -np.inf

    def see(self, array: Array) -> None:
        """Widen the range to contain the array."""
        self._low, self._high = min(self._low, float(array.min())), max(self._high, float(array.max()))

    def range(self, scheme: Scheme) -> Range:
        """The range of all elements."""
        return self._low, self._high


class MovingAverage:
    """The exponential moving average of the least and greatest element of each run."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._range: Range | None = None

    def see(self, array: Array) -> None:
        """Move the range towards that of the array."""
        low, high = float(array.min()), float(array.max())
        if self._range is None:
            self._range = low, high
        else:
            rate = self._rate
            self._range = (
                rate * self._range[0] + (1 - rate) * low,
                rate * self._range[1] + (1 - rate) * high,
            )

    def range(self, scheme: Scheme) -> Range:
        """The averaged range."""
        return self._range or (0.0, 0.0)


class _OfHistogram:
    def __init__(self) -> None:
        self.histogram = Histogram()

    def see(self, array: Array) -> None:
        """Count the elements."""
        self.histogram.add(array)


class Percentile(_OfHistogram):
    """The range without the greatest and the least elements: with 99.99, without 0.01 % on each side."""

    def __init__(self, percentile: float) -> None:
        super().__init__()
        self._percentile = percentile

    def range(self, scheme: Scheme) -> Range:
        """The quantiles of the elements of all runs."""
        quantile, percentile = self.histogram.quantile, self._percentile
        return quantile((100 - percentile) / 100), quantile(percentile / 100)


class MeanSquareError(_OfHistogram):
    """The range with the least mean square error of quantisation, of rounding and clipping together.

    One end is searched for a symmetric scheme, both ends alternately otherwise.
    """

    def range(self, scheme: Scheme) -> Range:
        """The best of the ranges of `FRACTIONS`."""
        low, high = scheme.bounds(self.histogram.low, self.histogram.high)
        counts, centres = self._occupied()
        if not counts.size:
            return low, high

        def cost(candidate: Range) -> float:
            error = scheme.grid(*candidate).nearest(centres) - centres
            return float(np.dot(counts, error * error))

        if scheme.symmetric:
            return min(((low * f, high * f) for f in FRACTIONS), key=cost)
        best = low, high
        for _ in range(2):
            best = min(((best[0], high * f) for f in FRACTIONS), key=cost)
            best = min(((low * f, best[1]) for f in FRACTIONS), key=cost) if low < 0 else best
        return best

    def _occupied(self) -> tuple[Array, Array]:
        """The counts and centres of the bins that are not empty, as float64 and float32."""
        histogram = self.histogram
        kept = np.flatnonzero(histogram.counts) if histogram.limit else np.zeros(0, np.int64)
        return histogram.counts[kept].astype(np.float64), histogram.centres[kept].astype(np.float32)


class Divergence(_OfHistogram):
    """The range whose quantised distribution is nearest to the original by Kullback-Leibler divergence.

    Source: S. Migacz, "8-bit inference with TensorRT", 2017; here with bins on both sides of 0.
    """

    def range(self, scheme: Scheme) -> Range:
        """The best of the ranges of `FRACTIONS`."""
        low, high = scheme.bounds(self.histogram.low, self.histogram.high)
        if self.histogram.limit == 0.0:
            return low, high
        reach = max(-low, high)
        candidates = [(max(low, -reach * f), min(high, reach * f)) for f in FRACTIONS]
        return min(candidates, key=lambda candidate: self._divergence(candidate, scheme.steps + 1))

    def _divergence(self, candidate: Range, levels: int) -> float:
        """KL(P‖Q): P has the clipped elements in its end bins, Q is P without them at `levels` levels."""
        centres = self.histogram.centres
        first, last = np.searchsorted(centres, candidate[0]), np.searchsorted(centres, candidate[1])
        counts = self.histogram.counts.astype(np.float64)
        # Many activations are mostly 0, which every grid represents: without this they hide the others.
        counts[HALF - 1], counts[HALF] = counts[HALF - 2], counts[HALF + 1]
        inside = counts[first:last]
        if inside.size < levels or not inside.any():
            return np.inf
        p = inside.copy()
        p[0] += counts[:first].sum()
        p[-1] += counts[last:].sum()
        level = np.arange(inside.size) * levels // inside.size
        occupied = inside > 0
        mass = np.bincount(level, inside, levels)
        spread = np.bincount(level, occupied, levels)
        q = np.where(occupied, mass[level] / np.maximum(spread[level], 1), 0.0)
        p, q = p / p.sum(), q / q.sum()
        kept = p > 0
        # A clipped element in an end bin that was empty has no probability in Q.
        return float(np.sum(p[kept] * np.log(p[kept] / np.maximum(q[kept], 1e-9))))


METHODS: Mapping[str, Callable[[Tuning], Observer]] = {
    "min_max": lambda _: MinMax(),
    "moving_average": lambda tuning: MovingAverage(tuning.moving_rate),
    "percentile": lambda tuning: Percentile(tuning.percentile),
    "kl": lambda _: Divergence(),
    "mse": lambda _: MeanSquareError(),
}
"""The methods of calibration by name."""
