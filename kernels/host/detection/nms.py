"""Overlaps of boxes, and greedy non-maximum suppression."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.plugin.kernel import Array


def box_area(boxes: Array, normalized: bool) -> Array:
    """Areas of boxes ``[…, 4]`` (x1, y1, x2, y2); 0 for a box whose end is before its start.

    Unless `normalized`, the ends of boxes are pixels that belong to them.
    """
    size = boxes[..., 2:] - boxes[..., :2]
    area: Array = np.prod(size if normalized else size + 1, axis=-1)
    return np.where((size < 0).any(axis=-1), area.dtype.type(0), area)


def iou_matrix(first: Array, second: Array, normalized: bool) -> Array:
    """Intersection over union ``[N, M]`` of each of ``[N, 4]`` with each of ``[M, 4]``; 0 for disjoint boxes.

    Boxes that end before they start take part in the formula, as in Paddle.
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


Overlap = Callable[[int], Array]
"""The overlaps of one candidate with all candidates, which are in order of falling score."""

_MATRIX_AT_MOST = 512
"""The most candidates whose overlaps are all computed at once; for more, only rows of chosen boxes."""


def best_scores(scores: Array, threshold: float, most: int) -> Array:
    """Indices of the scores above the threshold, best first, at most `most` (-1: all)."""
    above = np.flatnonzero(scores > threshold)
    order = above[np.argsort(-scores[above], kind="stable")]
    return order[:most] if most > -1 else order


def box_overlap(boxes: Array, normalized: bool) -> Overlap:
    """Intersection over union of boxes ``[N, 4]``, best first."""
    if len(boxes) <= _MATRIX_AT_MOST:
        return iou_matrix(boxes, boxes, normalized).__getitem__

    def row(index: int) -> Array:
        overlaps: Array = iou_matrix(boxes[index : index + 1], boxes, normalized)[0]
        return overlaps

    return row


def greedy_nms(
    count: int, overlap: Overlap, threshold: float, eta: float, limit: int | None = None
) -> list[int]:
    """The candidates, best first, that overlap no chosen one by more than the threshold, at most `limit`.

    While the threshold is above 0.5, each choice multiplies it by `eta`, if `eta` is below 1.  A candidate
    whose overlap is NaN is not chosen.
    """
    chosen: list[int] = []
    covered = np.zeros(count)
    for index in range(count):
        if len(chosen) == limit:
            break
        if not covered[index] <= threshold:
            continue
        chosen.append(index)
        np.maximum(covered, overlap(index), out=covered)
        if eta < 1 and threshold > 0.5:
            threshold *= eta
    return chosen
