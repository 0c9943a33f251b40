"""resize by numpy: along one axis after the other, a few weighted elements each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.resize.resample import Taps, cubic_far, cubic_near, resample
from lite.ops.resize_sizes import resized
from lite.plugin.kernel import Array, kernel

_MIDDLE = 1e-6
"""ONNX Runtime takes a position so close to the middle of two elements for the middle."""

_ROUND: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda at: np.ceil(at - 0.5 - _MIDDLE),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5 + _MIDDLE),
    "floor": np.floor,
    "ceil": np.ceil,
}


@dataclass(frozen=True)
class _Axis:
    """One axis: its size, the size of the output, the scale, and the region of interest."""

    size: int
    out: int
    factor: float
    start: float = 0.0
    stop: float = 1.0

    def positions(self, mode: str) -> Array:
        """The position in the input of each output element.

        float32 as in ONNX's reference and in ONNX Runtime: its rounding decides between two nearest elements.
        """
        index = np.arange(self.out, dtype=np.float32)
        factor = np.float32(self.factor)
        length = factor * np.float32(self.size)
        if mode == "align_corners":
            return index * 0 if length == 1 else index * (self.size - 1) / (length - 1)
        if mode == "asymmetric":
            return index / factor
        if mode == "tf_half_pixel_for_nn":
            return (index + 0.5) / factor
        if mode == "tf_crop_and_resize":
            last, part = self.size - 1, self.stop - self.start
            inner = index * 0 + part * last / 2 if length == 1 else index * part * last / (length - 1)
            return inner + self.start * last
        if mode == "pytorch_half_pixel" and self.out == 1:
            return index * 0
        centred = (index + 0.5) / factor - 0.5
        if mode == "half_pixel_symmetric":
            return centred + self.size / 2 * (1 - self.out / length)
        return centred


@kernel("resize")
def resize(
    X: Array,
    Roi: Array | None,
    Scales: Array | None,
    Sizes: Array | None,
    *,
    mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    cubic_coeff_a: float,
    exclude_outside: bool,
    extrapolation_value: float,
    antialias: bool,
    axes: Sequence[int],
    keep_aspect_ratio_policy: str,
) -> Array:
    """ONNX Resize: X resized along `axes` (empty: all).

    Sizes, or Scales, and Roi are in the order of `axes`; Roi has all starts, then all ends, from 0 to 1.
    """
    which = [axis % X.ndim for axis in axes] or list(range(X.ndim))
    image = [X.shape[axis] for axis in which]
    sizes = None if Sizes is None else [int(size) for size in Sizes]
    scales = None if Scales is None else [float(scale) for scale in Scales]
    outs, factors = resized(image, sizes, scales, keep_aspect_ratio_policy)
    part = [0.0] * len(which) + [1.0] * len(which) if Roi is None else [float(edge) for edge in Roi]
    spans = zip(image, outs, factors, part[: len(which)], part[len(which) :], strict=True)
    result = X
    outside = np.zeros((1,) * X.ndim, bool)
    for axis, along in zip(which, (_Axis(*span) for span in spans), strict=True):
        if along.size == along.out and along.factor == 1 and Roi is None:
            continue
        at = along.positions(coordinate_transformation_mode)
        if coordinate_transformation_mode == "tf_crop_and_resize":
            missing = (at < 0) | (at > along.size - 1)
            outside = outside | missing.reshape(-1, *[1] * (X.ndim - axis - 1))
        if mode == "nearest":
            indices = np.clip(_ROUND[nearest_mode](at.astype(np.float64)).astype(np.int64), 0, along.size - 1)
            result = result.take(indices, axis)
            continue
        taps = _taps(at, along, mode, cubic_coeff_a, antialias, exclude_outside)
        result = resample(_real(result), [taps], axis)
    if outside.any():
        result = np.where(outside, extrapolation_value, result)
    if X.dtype.kind in "iu" and result.dtype != X.dtype:
        limits = np.iinfo(X.dtype)
        result = np.clip(np.round(result), limits.min, limits.max)
    return result.astype(X.dtype, copy=False)


def _real(x: Array) -> Array:
    """`x` in the type in which weighted elements are added."""
    return x.astype(np.float64) if x.dtype.kind in "iu" else widened(x)


def _taps(at: Array, along: _Axis, mode: str, a: float, antialias: bool, exclude: bool) -> Taps:
    """The neighbours within reach of each position, and their weights; the border is repeated outside."""
    shrink = min(along.factor, 1.0) if antialias else 1.0
    reach = int(np.ceil((1 if mode == "linear" else 2) / shrink))
    low = np.floor(at)
    indices = low.astype(np.int64) + np.arange(1 - reach, reach + 1)[:, None]
    distance = np.abs(indices - at) * shrink
    weights = np.clip(1 - distance, 0, None) if mode == "linear" else _cubic(distance, a)
    if exclude:
        weights = np.where((indices < 0) | (indices >= along.size), 0, weights)
    if exclude or antialias:
        total = weights.sum(axis=0)
        weights = weights / np.where(total == 0, 1, total)
    return Taps(np.clip(indices, 0, along.size - 1), weights)


def _cubic(x: Array, a: float) -> Array:
    return np.where(x <= 1, cubic_near(x, a), np.where(x < 2, cubic_far(x, a), 0))
