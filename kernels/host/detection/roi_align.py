"""Regions of feature maps in bins: roi_align, roi_align_indexed and max_roi_pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, need_lod, numbers_of_rows, starts_and_lengths

_MOST_SAMPLES = 1 << 22
"""The most samples of a box: the size of a box, and with it their number, may come from data."""

_CHUNK = 1 << 20
"""Samples in all channels that are interpolated at once."""


@kernel("roi_align")
def roi_align(
    X: Array,
    ROIs: Array,
    RoisNum: Array | None,
    *,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle roi_align: means of bilinear samples in the bins of each box (K. He et al., "Mask R-CNN", 2017).

    X is ``float[N, C, H, W]``, ROIs ``[n, 4]`` (x1, y1, x2, y2), Out ``[n, C, pooled_height, pooled_width]``.
    Each bin has `sampling_ratio` samples per axis or, where that is not positive, one per pixel.  Sampling
    and averaging are separable, so each axis is one matrix product.
    """
    counts = RoisNum
    if counts is None:
        _, counts = starts_and_lengths(need_lod("roi_align", "ROIs", lods["ROIs"][0], len(ROIs))[-1])
    images = numbers_of_rows("roi_align", counts, len(ROIs))
    boxes = ROIs.astype(np.float64) * spatial_scale - (0.5 if aligned else 0.0)
    sizes = boxes[:, 2:] - boxes[:, :2]
    if not aligned:
        sizes = np.maximum(sizes, 1)
    out = np.zeros((len(ROIs), X.shape[1], pooled_height, pooled_width), X.dtype)
    for number, (image, box, (width, height)) in enumerate(zip(images, boxes, sizes, strict=True)):
        rows, down = _bins(box[1], height, pooled_height, sampling_ratio, X.shape[2])
        columns, along = _bins(box[0], width, pooled_width, sampling_ratio, X.shape[3])
        part = X[image, :, rows, columns]
        out[number] = down.astype(X.dtype) @ part @ along.astype(X.dtype).T
    return out, {"Out": [()]}


def _bins(start: float, length: float, bins: int, ratio: int, size: int) -> tuple[slice, Array]:
    """The part of an axis that a box covers, and the weight ``[bins, part]`` of its elements in each bin.

    Samples more than one pixel outside the axis are zeros.
    """
    samples = _count(length, bins, ratio)
    if samples < 1:
        return slice(0, 0), np.zeros((bins, 0))
    places = start + (np.arange(bins * samples) + 0.5) * (length / (bins * samples))
    share = np.where((places < -1) | (places > size), 0, 1 / samples)
    places = np.clip(places, 0, size - 1)
    low = places.astype(np.intp)
    high = np.minimum(low + 1, size - 1)
    first, last = int(low.min()), int(high.max())
    weights = np.zeros((bins, last + 1 - first))
    of_bin = np.repeat(np.arange(bins), samples)
    np.add.at(weights, (of_bin, low - first), share * (1 - (places - low)))
    np.add.at(weights, (of_bin, high - first), share * (places - low))
    return slice(first, last + 1), weights


@kernel("roi_align_indexed")
def roi_align_indexed(
    X: Array,
    ROIs: Array,
    Images: Array,
    *,
    pooling_type: str,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> Array:
    """ONNX RoiAlign: bins of boxes ROIs ``[n, 4]`` (x1, y1, x2, y2) in the images `Images` ``int[n]``.

    X is ``float[N, C, H, W]``.  A bin is the mean of bilinear samples, or the maximum of the weighted
    elements from which they are interpolated.
    """
    if Images.size and not 0 <= Images.min() <= Images.max() < len(X):
        raise IndexError(f"Images: expected 0 to {len(X) - 1}, got {Images.min()} to {Images.max()}")
    if not np.isfinite(ROIs).all():
        raise ValueError("ROIs: expected finite numbers, as in ONNX Runtime")
    out = np.zeros((len(ROIs), X.shape[1], pooled_height, pooled_width), X.dtype)
    boxes = ROIs.astype(np.float64) * spatial_scale - (0.5 if aligned else 0.0)
    for number, (image, (x1, y1, x2, y2)) in enumerate(zip(Images, boxes, strict=True)):
        height, width = (y2 - y1, x2 - x1) if aligned else (max(y2 - y1, 1.0), max(x2 - x1, 1.0))
        rows = _samples(y1, height, pooled_height, sampling_ratio, X.shape[2])
        columns = _samples(x1, width, pooled_width, sampling_ratio, X.shape[3])
        samples = rows[0][0].size * columns[0][0].size
        _check_samples(samples)
        if not samples:
            continue
        # A few channels at a time, so that large boxes take bounded memory.
        step = max(_CHUNK // samples, 1)
        for first in range(0, X.shape[1], step):
            part = slice(first, first + step)
            taps = [
                X[image, part][:, y[:, :, None, None], x[None, None]] * (v[:, :, None, None] * u)
                for y, v in rows
                for x, u in columns
            ]
            if pooling_type == "max":
                out[number, part] = np.max(taps, axis=0).max(axis=(2, 4))
            else:
                out[number, part] = np.sum(taps, axis=0).mean(axis=(2, 4))
    return out


def _count(length: float, bins: int, ratio: int) -> int:
    """The samples of each bin along an axis; raises `ValueError` for more than the limit in all bins."""
    samples = ratio if ratio > 0 else int(np.ceil(length / bins))
    _check_samples(bins * samples)
    return samples


def _check_samples(count: int) -> None:
    if count > _MOST_SAMPLES:
        raise ValueError(f"ROIs: expected at most {_MOST_SAMPLES:,} samples of a box, got {count:,}")


def _samples(start: float, length: float, bins: int, ratio: int, size: int) -> list[tuple[Array, Array]]:
    """The two neighbours of every sample ``[bins, samples]`` along an axis, and their weights."""
    samples = _count(length, bins, ratio)
    steps = (np.arange(bins)[:, None] + (np.arange(max(samples, 0)) + 0.5) / max(samples, 1)) * (
        length / bins
    )
    at = start + steps
    outside = (at < -1) | (at > size)
    at = np.clip(at, 0, size - 1)
    low = at.astype(np.int64)
    share = at - low
    return [
        (low, np.where(outside, 0, 1 - share)),
        (np.minimum(low + 1, size - 1), np.where(outside, 0, share)),
    ]


@kernel("max_roi_pool")
def max_roi_pool(X: Array, ROIs: Array, *, pooled_shape: Sequence[int], spatial_scale: float) -> Array:
    """ONNX MaxRoiPool: maxima of bins of boxes (image, x1, y1, x2, y2), rounded to whole pixels.

    Halves are rounded away from zero, and bins are computed with float32, as in ONNX Runtime.  X is
    ``float[N, C, H, W]``, Out ``[n, C, *pooled_shape]``.  R. Girshick, "Fast R-CNN", 2015.
    """
    height, width = pooled_shape
    out = np.zeros((len(ROIs), X.shape[1], height, width), X.dtype)
    for number, (image, *box) in enumerate(ROIs):
        x1, y1, x2, y2 = (_pixel(edge * spatial_scale) for edge in box)
        rows = _pixel_bins(y1, y2, height, X.shape[2])
        columns = _pixel_bins(x1, x2, width, X.shape[3])
        for i, (top, bottom) in enumerate(rows):
            for j, (left, right) in enumerate(columns):
                part = X[int(image), :, top:bottom, left:right]
                if part.size:
                    out[number, :, i, j] = part.max(axis=(1, 2))
    return out


def _pixel(at: float) -> int:
    return int(np.copysign(np.floor(abs(float(at)) + 0.5), at))


def _pixel_bins(first: int, last: int, count: int, size: int) -> list[tuple[int, int]]:
    step = np.float32(max(last - first + 1, 1)) / np.float32(count)
    edges = [
        (int(np.floor(np.float32(n) * step)), int(np.ceil(np.float32(n + 1) * step))) for n in range(count)
    ]
    return [(min(max(a + first, 0), size), min(max(b + first, 0), size)) for a, b in edges]
