"""grid_sample by numpy: a few weighted elements along each of any number of spatial axes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.resize.resample import cubic_weights
from lite.plugin.kernel import Array, kernel


@kernel("grid_sample")
def grid_sample(X: Array, Grid: Array, *, mode: str, padding_mode: str, align_corners: bool) -> Array:
    """ONNX GridSample: samples of ``X[N, C, …]`` at positions of ``Grid[N, …, axes]``, from −1 to 1.

    The coordinates of a position are in the order of the last axis to the first.  With border padding each
    element is clamped, not the position, as in PyTorch and ONNX Runtime; only cubic sampling differs.
    """
    x, grid = widened(X), widened(Grid)
    batch, axes = len(x), x.ndim - 2
    taps = []
    for axis, size in enumerate(x.shape[2:]):
        at = grid[..., axes - 1 - axis].reshape(batch, -1)
        at = (at + 1) / 2 * (size - 1) if align_corners else ((at + 1) * size - 1) / 2
        at = np.rint(at) if mode == "nearest" else at
        if padding_mode == "reflection":
            at = _reflected(at, size, align_corners)
        taps.append(_taps(at, size, mode, padding_mode, align_corners))
    image = np.arange(batch)[:, None]
    result = np.zeros((batch, grid[0, ..., 0].size, x.shape[1]), x.dtype)
    for combination in itertools.product(*taps):
        weight = np.ones((), x.dtype)
        for _, factor in combination:
            weight = weight * factor
        # Advanced indices on both sides of the channels move these to the end.
        places: tuple[Any, ...] = (image, slice(None), *(index for index, _ in combination))
        taken: Array = x[places]
        result += taken * weight[..., None]
    result = np.moveaxis(result, 2, 1).reshape(batch, x.shape[1], *Grid.shape[1:-1])
    return result.astype(X.dtype, copy=False)


def _reflected(at: Array, size: int, align_corners: bool) -> Array:
    """Positions reflected at the first and last element, or at their outer edges."""
    low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
    span = high - low
    if span == 0:
        return np.zeros_like(at)
    distance = np.mod(at - low, 2 * span)
    inside = np.asarray(low + np.minimum(distance, 2 * span - distance))
    return np.where((at < low) | (at > high), inside, at)


def _taps(
    at: Array, size: int, mode: str, padding_mode: str, align_corners: bool
) -> list[tuple[Array, Array]]:
    """The indices and weights of the elements that are summed along one axis."""
    low = np.floor(at)
    t = at - low
    if mode == "nearest":
        offsets, weights = [0], [np.where(np.isnan(at), at, 1)]
    elif mode == "linear":
        offsets, weights = [0, 1], [1 - t, t]
    else:
        offsets, weights = [-1, 0, 1, 2], cubic_weights(t)
    taps = []
    for offset, weight in zip(offsets, weights, strict=True):
        place = low + offset
        if padding_mode == "zeros":
            weight = np.where((place < 0) | (place > size - 1), 0, weight)
        elif padding_mode == "reflection":
            place = np.trunc(_reflected(place, size, align_corners))
        place = np.where(np.isnan(place), 0, np.clip(place, 0, size - 1))  # its weight is not a number, too
        taps.append((place.astype(np.int64), weight.astype(at.dtype, copy=False)))
    return taps
