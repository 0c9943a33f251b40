"""Greedy non-maximum suppression: the best box first, then each that overlaps none chosen too much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.kernels.host.detection.iou import iou_matrix
from lite.plugin.kernel import Array

Overlap = Callable[[int], Array]
"""The overlaps of one candidate with all, both counted from the best on."""

_MATRIX_AT_MOST = 512
"""Candidates up to which all overlaps are computed at once; beyond, rows of chosen boxes only."""


def best_scores(scores: Array, threshold: float, most: int) -> Array:
    """Indices of the scores above the threshold, best first, at most `most` (-1: all)."""
    above = np.flatnonzero(scores > threshold)
    order = above[np.argsort(-scores[above], kind="stable")]
    return order[:most] if most > -1 else order


def box_overlap(boxes: Array, normalized: bool) -> Overlap:
    """Intersection over union of boxes [N, 4], best first."""
    if len(boxes) <= _MATRIX_AT_MOST:
        return iou_matrix(boxes, boxes, normalized).__getitem__

    def row(index: int) -> Array:
        overlaps: Array = iou_matrix(boxes[index : index + 1], boxes, normalized)[0]
        return overlaps

    return row


def greedy_nms(count: int, overlap: Overlap, threshold: float, eta: float) -> list[int]:
    """Which of `count` candidates, best first, overlap no chosen one by more than the threshold.

    While the threshold is above 0.5, each choice multiplies it by `eta`, if that is below 1.
    """
    chosen: list[int] = []
    covered = np.zeros(count)
    for index in range(count):
        if covered[index] > threshold:
            continue
        chosen.append(index)
        np.maximum(covered, overlap(index), out=covered)
        if eta < 1 and threshold > 0.5:
            threshold *= eta
    return chosen
