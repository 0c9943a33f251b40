"""The boxes of each class that greedy non-maximum suppression chooses."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.nms import Overlap, best_scores, box_overlap, greedy_nms
from lite.kernels.host.detection.polygon import polygon_iou
from lite.plugin.kernel import Array
from lite.plugin.kernel.detection.selection import Selection


def search(boxes: Array, scores: Array, selection: Selection) -> tuple[Array, Array]:
    """A `Search` by numpy; boxes of more than four coordinates are polygons."""
    labels, places = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    rows: dict[int, Array] = {}
    for label, of_class in enumerate(scores):
        if label == selection.background:
            continue
        order = best_scores(of_class, selection.least, selection.candidates)
        here = boxes[label % len(boxes)]
        if here.shape[1] == 4:
            overlap = box_overlap(here[order], selection.normalized)
        else:
            overlap = _polygon_overlap(here, order, rows if len(boxes) == 1 else {})
        limit = selection.limit if selection.limit > -1 else None
        kept = greedy_nms(len(order), overlap, selection.threshold, selection.eta, limit)
        labels.append(np.full(len(kept), label))
        places.append(order[kept])
    return np.concatenate(labels), np.concatenate(places)


def _polygon_overlap(boxes: Array, order: Array, rows: dict[int, Array]) -> Overlap:
    """Overlaps of polygons (x, y, x, y, …), stored in `rows` for the other classes of the same boxes."""
    polygons = boxes.reshape(len(boxes), -1, 2)

    def row(index: int) -> Array:
        box = int(order[index])
        if box not in rows:
            rows[box] = polygon_iou(polygons[box], polygons)
        return rows[box][order]

    return row
