"""roi_align on the host."""

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
