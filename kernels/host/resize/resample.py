"""Resampling along axes: the indices and weights of the elements that make up an output element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array

_CUBIC = -0.75
"""The free parameter of cubic convolution (R. Keys, "Cubic Convolution Interpolation", 1981)."""


@dataclass(frozen=True)
class Taps:
    """Indices ``int[taps, out]`` of elements along an axis, and their weights (None: one tap of 1)."""

    indices: Array
    weights: Array | None = None

    def repeats(self, size: int) -> int:
        """n where each of `size` elements is repeated n times, else 0."""
        if self.weights is not None or size == 0:
            return 0
        n, rest = divmod(self.indices.shape[1], size)
        if rest or n == 0:
            return 0
        return n if np.array_equal(self.indices[0], np.arange(size * n) // n) else 0


def source_step(size: int, out: int, factor: float | None, align_corners: bool) -> np.float32:
    """The distance in the input of neighbouring outputs; `factor` is the attribute scale, or None."""
    if out <= 1:
        return np.float32(0)
    if align_corners:
        return np.float32(size - 1) / np.float32(out - 1)
    return np.float32(size) / np.float32(out) if factor is None else np.float32(1 / np.float32(factor))


def nearest(size: int, out: int, step: np.float32, align_corners: bool) -> Taps:
    """The element at the position, which is rounded with `align_corners`, else truncated."""
    positions = step * np.arange(out, dtype=np.float32) + np.float32(0.5 if align_corners else 0)
    return Taps(np.clip(positions.astype(np.int64), 0, size - 1)[None])


def linear(size: int, out: int, step: np.float32, centred: bool) -> Taps:
    """The two neighbours; with `centred`, positions are the centres of elements."""
    positions = _positions(out, step, centred)
    positions = np.maximum(positions, np.float32(0))
    low = np.minimum(positions.astype(np.int64), size - 1)
    weight = positions - low.astype(np.float32)
    return Taps(np.stack([low, np.minimum(low + 1, size - 1)]), np.stack([np.float32(1) - weight, weight]))


def cubic(size: int, out: int, step: np.float32, centred: bool) -> Taps:
    """The four neighbours; neighbours outside are replaced by the element at the border."""
    positions = _positions(out, step, centred)
    low = np.floor(positions)
    weights = cubic_weights(positions - low)
    indices = low.astype(np.int64) + np.arange(-1, 3)[:, None]
    return Taps(np.clip(indices, 0, size - 1), np.stack(weights).astype(np.float32))


def _positions(out: int, step: np.float32, centred: bool) -> Array:
    index = np.arange(out, dtype=np.float32)
    return step * (index + np.float32(0.5)) - np.float32(0.5) if centred else step * index


def cubic_weights(t: Array) -> list[Array]:
    """The weights of the four neighbours of a position that is `t` after the second one."""
    a = _CUBIC
    return [cubic_far(t + 1, a), cubic_near(t, a), cubic_near(1 - t, a), cubic_far(2 - t, a)]


def cubic_near(x: Array, a: float) -> Array:
    """The weight of an element at a distance `x` up to 1, by cubic convolution with parameter `a`."""
    return ((a + 2) * x - (a + 3)) * x * x + 1


def cubic_far(x: Array, a: float) -> Array:
    """The weight of an element at a distance `x` from 1 to 2."""
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def resample(x: Array, taps: Sequence[Taps], first_axis: int) -> Array:
    """`x` with the axes from `first_axis` on resampled, from the last to the first."""
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
