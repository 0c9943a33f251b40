"""roi_pool, psroi_pool and nms by numpy."""

from __future__ import annotations

import math

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.detection.nms import box_overlap, greedy_nms
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import numbers_of_rows


def _round(x: float) -> int:
    """The nearest integer, halves away from 0."""
    return math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1)


def _bins(start: float, size: float, bins: int, limit: int) -> list[slice]:
    """The parts of an axis of `limit` elements that equal bins from `start` on cover."""
    edges = [
        (math.floor(np.float32(n * size)) + start, math.ceil(np.float32((n + 1) * size)) + start)
        for n in range(bins)
    ]
    return [slice(int(min(max(low, 0), limit)), int(min(max(high, 0), limit))) for low, high in edges]


@kernel("roi_pool")
def roi_pool(
    X: Array, ROIs: Array, RoisNum: Array, *, pooled_height: int, pooled_width: int, spatial_scale: float
) -> tuple[Array, Array]:
    """Paddle roi_pool: maxima of the bins of boxes ``[n, 4]`` of rounded corners; 0 for an empty bin.

    Argmax (int64) is the place of each maximum in its channel, -1 for an empty bin.
    """
    _, channels, height, width = X.shape
    out = np.zeros((len(ROIs), channels, pooled_height, pooled_width), X.dtype)
    places = np.full(out.shape, -1, np.int64)
    images = numbers_of_rows("roi_pool", RoisNum, len(ROIs))
    for number, (image, box) in enumerate(zip(images, ROIs, strict=True)):
        x1, y1, x2, y2 = (_round(float(corner * np.float32(spatial_scale))) for corner in box)
        rows = _bins(
            y1, float(np.float32(max(y2 - y1 + 1, 1)) / np.float32(pooled_height)), pooled_height, height
        )
        columns = _bins(
            x1, float(np.float32(max(x2 - x1 + 1, 1)) / np.float32(pooled_width)), pooled_width, width
        )
        for n, row in enumerate(rows):
            for m, column in enumerate(columns):
                part = X[image, :, row, column]
                if part.size:
                    best = part.reshape(channels, -1).argmax(1)
                    y, x = np.divmod(best, part.shape[2])
                    out[number, :, n, m] = part.reshape(channels, -1)[np.arange(channels), best]
                    places[number, :, n, m] = (y + row.start) * width + x + column.start
    return out, places


@kernel("psroi_pool")
def psroi_pool(
    X: Array,
    ROIs: Array,
    RoisNum: Array,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    output_channels: int,
) -> Array:
    """Paddle psroi_pool: averages of the bins of boxes ``[n, 4]``; the channels of a bin are its own."""
    _, _, height, width = X.shape
    out = np.zeros((len(ROIs), output_channels, pooled_height, pooled_width), X.dtype)
    images = numbers_of_rows("psroi_pool", RoisNum, len(ROIs))
    scale = np.float32(spatial_scale)
    for number, (image, box) in enumerate(zip(images, ROIs, strict=True)):
        maps = widened(X[image]).reshape(output_channels, pooled_height, pooled_width, height, width)
        x1, y1 = (np.float32(_round(float(corner))) * scale for corner in box[:2])
        x2, y2 = (np.float32(_round(float(corner)) + 1) * scale for corner in box[2:])
        tall, wide = (max(size, np.float32(0.1)) for size in (y2 - y1, x2 - x1))
        rows = _spans(y1, tall / np.float32(pooled_height), pooled_height, height)
        columns = _spans(x1, wide / np.float32(pooled_width), pooled_width, width)
        for n, row in enumerate(rows):
            for m, column in enumerate(columns):
                part = maps[:, n, m, row, column]
                if part.size:
                    out[number, :, n, m] = part.mean((1, 2))
    return out


def _spans(start: np.float32, size: np.float32, bins: int, limit: int) -> list[slice]:
    """Like `_bins`, from a start that is no integer."""
    edges = [
        (math.floor(np.float32(size * n) + start), math.ceil(np.float32(size * (n + 1)) + start))
        for n in range(bins)
    ]
    return [slice(min(max(low, 0), limit), min(max(high, 0), limit)) for low, high in edges]


@kernel("nms")
def nms(Boxes: Array, *, iou_threshold: float) -> Array:
    """Paddle nms: indices (int64) of boxes ``[n, 4]``, which are in order, that overlap no kept one before.

    Two boxes overlap where the intersection over the union is above the threshold.
    """
    overlap = box_overlap(Boxes, normalized=True)
    return np.array(greedy_nms(len(Boxes), overlap, iou_threshold, eta=1.0), np.int64)
