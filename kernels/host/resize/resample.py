"""Resampling along axes: which elements an output element is made of, and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array

CUBIC = -0.75
"""The free parameter of the cubic convolution kernel."""


@dataclass(frozen=True)
class Taps:
    """Along one axis, `indices` ``[taps, out]`` of the elements and their `weights` (None: one tap of 1)."""

    indices: Array
    weights: Array | None = None

    def repeats(self, size: int) -> int:
        """n where each of `size` elements is taken n times in a row, else 0."""
        if self.weights is not None or size == 0:
            return 0
        n, rest = divmod(self.indices.shape[1], size)
        if rest or n == 0:
            return 0
        return n if np.array_equal(self.indices[0], np.arange(size * n) // n) else 0


def source_step(size: int, out: int, factor: float | None, align_corners: bool) -> np.float32:
    """How far in the input one step in the output goes; `factor` is the one the user gave."""
    if out <= 1:
        return np.float32(0)
    if align_corners:
        return np.float32(size - 1) / np.float32(out - 1)
    return np.float32(size) / np.float32(out) if factor is None else np.float32(1 / np.float32(factor))


def nearest(size: int, out: int, step: np.float32, align_corners: bool) -> Taps:
    """The element at the position, rounded with `align_corners`, cut without."""
    positions = step * np.arange(out, dtype=np.float32) + np.float32(0.5 if align_corners else 0)
    return Taps(np.clip(positions.astype(np.int64), 0, size - 1)[None])


def linear(size: int, out: int, step: np.float32, centred: bool) -> Taps:
    """The two neighbours; `centred` positions are those of element centres."""
    positions = _positions(out, step, centred)
    positions = np.maximum(positions, np.float32(0))
    low = np.minimum(positions.astype(np.int64), size - 1)
    share = positions - low.astype(np.float32)
    return Taps(np.stack([low, np.minimum(low + 1, size - 1)]), np.stack([np.float32(1) - share, share]))


def cubic(size: int, out: int, step: np.float32, centred: bool) -> Taps:
    """The four neighbours, those outside replaced by the border's."""
    positions = _positions(out, step, centred)
    low = np.floor(positions)
    t = positions - low
    weights = [_far(t + 1), _near(t), _near(1 - t), _far(2 - t)]
    indices = low.astype(np.int64) + np.arange(-1, 3)[:, None]
    return Taps(np.clip(indices, 0, size - 1), np.stack(weights).astype(np.float32))


def _positions(out: int, step: np.float32, centred: bool) -> Array:
    index = np.arange(out, dtype=np.float32)
    return step * (index + np.float32(0.5)) - np.float32(0.5) if centred else step * index


def _near(t: Array) -> Array:
    return ((CUBIC + 2) * t - (CUBIC + 3)) * t * t + 1


def _far(t: Array) -> Array:
    return ((CUBIC * t - 5 * CUBIC) * t + 8 * CUBIC) * t - 4 * CUBIC


def resample(x: Array, taps: Sequence[Taps], first_axis: int) -> Array:
    """`x` with the axes from `first_axis` on resampled, the last (cheapest while it is small) first."""
    result = widened(x)
    for n in reversed(range(len(taps))):
        result = _along(result, taps[n], first_axis + n)
    return result.astype(x.dtype, copy=False)


def _along(x: Array, taps: Taps, axis: int) -> Array:
    if taps.weights is None:
        taken: Array = x.take(taps.indices[0], axis)
        return taken
    tail = (1,) * (x.ndim - axis - 1)
    weights = taps.weights.astype(x.dtype, copy=False).reshape(len(taps.weights), -1, *tail)
    total: Array = x.take(taps.indices[0], axis)
    total *= weights[0]
    for indices, weight in zip(taps.indices[1:], weights[1:], strict=True):
        part = x.take(indices, axis)
        part *= weight
        total += part
    return total
