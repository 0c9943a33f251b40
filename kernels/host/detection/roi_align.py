"""Regions of feature maps in bins: roi_align, roi_align_indexed and max_roi_pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, starts_and_lengths
from lite.plugin.kernel import Array, kernel


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
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[Array, dict[str, list[Lod]]]:
    """Paddle roi_align op: means of bilinear samples in the bins of each box; [boxes, C, height, width].

    Each bin has `sampling_ratio` samples per axis or, where that is not positive, one per pixel.  Samples
    and means along the two axes do not depend on each other, so both are one matrix product per axis.
    """
    counts = RoisNum
    if counts is None:
        _, counts = starts_and_lengths(need_lod("roi_align", "ROIs", lods["ROIs"][0])[-1])
    images = np.repeat(np.arange(len(counts)), counts)
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
    """Which part of an axis a box touches, and how much each place there counts in each bin: [bins, part].

    Samples more than one pixel outside of the axis count as zeros.
    """
    samples = ratio if ratio > 0 else int(np.ceil(length / bins))
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
    """ONNX RoiAlign: bins of boxes (x1, y1, x2, y2) in the image that `Images` ``[boxes]`` names.

    Each bin is the mean of bilinear samples, or the largest of all weighted elements around them.
    """
    out = np.zeros((len(ROIs), X.shape[1], pooled_height, pooled_width), X.dtype)
    boxes = ROIs.astype(np.float64) * spatial_scale - (0.5 if aligned else 0.0)
    for number, (image, (x1, y1, x2, y2)) in enumerate(zip(Images, boxes, strict=True)):
        height, width = (y2 - y1, x2 - x1) if aligned else (max(y2 - y1, 1.0), max(x2 - x1, 1.0))
        rows = _samples(y1, height, pooled_height, sampling_ratio, X.shape[2])
        columns = _samples(x1, width, pooled_width, sampling_ratio, X.shape[3])
        parts = [
            X[image][:, y[:, :, None, None], x[None, None]] * (v[:, :, None, None] * u)
            for y, v in rows
            for x, u in columns
        ]
        if not parts[0].size:
            continue
        if pooling_type == "max":
            out[number] = np.max(parts, axis=0).max(axis=(2, 4))
        else:
            out[number] = np.sum(parts, axis=0).mean(axis=(2, 4))
    return out


def _samples(start: float, length: float, bins: int, ratio: int, size: int) -> list[tuple[Array, Array]]:
    """The two neighbours of every sample ``[bins, samples]`` along an axis, and their weights."""
    samples = ratio if ratio > 0 else int(np.ceil(length / bins))
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
    """ONNX MaxRoiPool: maxima of bins of boxes (image, x1, y1, x2, y2), all rounded to whole pixels."""
    height, width = pooled_shape
    out = np.zeros((len(ROIs), X.shape[1], height, width), X.dtype)
    for number, (image, *box) in enumerate(ROIs):
        x1, y1, x2, y2 = (int(np.floor(edge * spatial_scale + 0.5)) for edge in box)
        rows = _bins(y1, y2, height, X.shape[2])
        columns = _bins(x1, x2, width, X.shape[3])
        for i, (top, bottom) in enumerate(rows):
            for j, (left, right) in enumerate(columns):
                part = X[int(image), :, top:bottom, left:right]
                if part.size:
                    out[number, :, i, j] = part.max(axis=(1, 2))
    return out


def _bins(first: int, last: int, count: int, size: int) -> list[tuple[int, int]]:
    step = max(last - first + 1, 1) / count
    edges = [(int(np.floor(n * step)), int(np.ceil((n + 1) * step))) for n in range(count)]
    return [(min(max(a + first, 0), size), min(max(b + first, 0), size)) for a, b in edges]
