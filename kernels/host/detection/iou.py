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
    x1, y1, x2, y2 = first.T[:, :, None]
    left, top, right, bottom = second.T[:, None]
    overlap: Array = np.minimum(x2, right) - np.maximum(x1, left)
    height = np.minimum(y2, bottom) - np.maximum(y1, top)
    if not normalized:
        overlap += 1
        height += 1
    overlap *= height
    overlap[(left > x2) | (right < x1) | (top > y2) | (bottom < y1)] = 0
    union = box_area(first, normalized)[:, None] + box_area(second, normalized)
    union -= overlap
    np.divide(overlap, union, out=overlap, where=union != 0)
    return overlap
