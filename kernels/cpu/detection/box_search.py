"""The boxes of each class that non-maximum suppression chooses, found by compiled code."""

from __future__ import annotations

import numpy as np

from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array
from lite.plugin.kernel.detection.selection import Selection
from lite.plugin.kernel.run_context import PER_ELEMENT

_keep_boxes = Function("sorting.class_nms.keep_boxes")


def search(boxes: Array, scores: Array, selection: Selection) -> tuple[Array, Array]:
    """A `Search` (`plugin.kernel.detection.selection`) of float32."""
    from lite.kernels.cpu.lengths.detection import FIELDS
    from lite.kernels.cpu.tile_sizes import LANES

    classes, per_class = scores.shape
    candidates = at_most(selection.candidates, per_class)
    limit = at_most(selection.limit, candidates)
    kept, counts = np.empty((classes, limit), np.int64), np.empty(classes, np.int64)
    heap, sides = np.empty(scores.size, np.int64), np.empty((classes, FIELDS, limit + LANES), np.float32)
    _keep_boxes.bind(
        FREE, FREE, FREE, FREE, FREE, FREE, selection.least, selection.threshold, selection.eta,
        0.0 if selection.normalized else 1.0, candidates, limit, selection.background, per_class,
        int(len(boxes) == 1),
        count=classes, cost=2 * PER_ELEMENT * classes * (per_class + candidates * limit / 8),
    )(
        np.ascontiguousarray(boxes, np.float32), np.ascontiguousarray(scores, np.float32), heap, kept, counts,
        sides,
    )  # fmt: skip
    return np.arange(classes).repeat(counts), kept[np.arange(limit) < counts[:, None]]


def at_most(limit: int, count: int) -> int:
    """A limit for `count` things; -1 stands for all."""
    return count if limit < 0 else min(limit, count)
