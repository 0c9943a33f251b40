"""The boxes of each class that greedy non-maximum suppression chooses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.detection.nms import Overlap, best_scores, box_overlap, greedy_nms
from lite.kernels.host.detection.polygon import polygon_iou
from lite.plugin.kernel import Array


@dataclass(frozen=True)
class Selection:
    """Which boxes of a class are candidates, and which of those are chosen.

    Scores must be above `least`; the best `candidates` (-1: all) take part, until `limit` (-1: all) are
    chosen.  `threshold`, `eta` and `normalized` are those of `greedy_nms` and `box_area`; the class
    `background` has no boxes.
    """

    least: float
    threshold: float
    eta: float = 1.0
    candidates: int = -1
    limit: int = -1
    normalized: bool = True
    background: int = -1


Search = Callable[[Array, Array, Selection], tuple[Array, Array]]
"""Labels and box numbers of the chosen boxes, by label and falling score.

Boxes (x1, y1, x2, y2) are ``[classes, boxes, 4]``, or ``[1, boxes, 4]`` for all classes; scores are
``[classes, boxes]``.
"""


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
        kept = order[greedy_nms(len(order), overlap, selection.threshold, selection.eta)]
        if selection.limit > -1:
            kept = kept[: selection.limit]
        labels.append(np.full(len(kept), label))
        places.append(kept)
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
