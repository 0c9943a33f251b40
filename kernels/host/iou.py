"""How much boxes (x1, y1, x2, y2) overlap; where they are not normalised, their ends are pixels inside."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array


def box_area(boxes: Array, normalized: bool) -> Array:
    """Areas of [..., 4]; 0 for a box whose end lies before its start."""
    size = boxes[..., 2:] - boxes[..., :2]
    area: Array = np.prod(size if normalized else size + 1, axis=-1)
    return np.where((size < 0).any(axis=-1), area.dtype.type(0), area)


def iou_matrix(first: Array, second: Array, normalized: bool) -> Array:
    """Intersection over union of each of [N, 4] with each of [M, 4]: [N, M]; 0 where boxes are apart.

    Boxes that end before they start are empty, but are not left out: the formula decides, as in Paddle.
    """
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    size = np.minimum(first[:, None, 2:], second[None, :, 2:]) - low
    if not normalized:
        size += 1
    intersection = size[..., 0] * size[..., 1]
    apart = (second[None, :, :2] > first[:, None, 2:]) | (second[None, :, 2:] < first[:, None, :2])
    intersection[apart.any(axis=-1)] = 0
    union = box_area(first, normalized)[:, None] + box_area(second, normalized) - intersection
    overlap: Array = np.divide(intersection, union, out=np.zeros_like(union), where=union != 0)
    return overlap
