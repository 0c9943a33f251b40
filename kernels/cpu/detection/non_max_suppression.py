"""non_max_suppression with a compiled search among the boxes of each class."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_keep_boxes = Function("nms.keep_boxes")


@kernel("non_max_suppression", "cpu", dtype=DType.FLOAT32)
def non_max_suppression(
    Boxes: Array,
    Scores: Array,
    MaxOutputBoxesPerClass: Array | None,
    IouThreshold: Array | None,
    ScoreThreshold: Array | None,
    *,
    center_point_box: int,
) -> Array:
    """ONNX NonMaxSuppression: rows (image, class, box) ``int64[n, 3]`` by image, class and falling score.

    ``Boxes[N, boxes, 4]`` are two opposite corners (y, x), or with `center_point_box` centre (x, y), width
    and height; Scores are ``[N, classes, boxes]``.  Without MaxOutputBoxesPerClass no box is chosen.
    """
    from lite.kernels.cpu.lengths.detection import FIELDS

    if not Scores.size:
        return np.empty((0, 3), np.int64)
    images, classes, per_image = Scores.shape
    limit = 0 if MaxOutputBoxesPerClass is None else int(MaxOutputBoxesPerClass.reshape(-1)[0])
    threshold = 0.0 if IouThreshold is None else float(IouThreshold.reshape(-1)[0])
    candidates = [
        _best_first(scores, ScoreThreshold) for scores in Scores.reshape(images * classes, per_image)
    ]
    starts = np.cumsum([0, *map(len, candidates)])
    pairs, limit = len(candidates), min(limit, max(map(len, candidates), default=0))
    if limit <= 0:
        return np.empty((0, 3), np.int64)
    order = np.concatenate(candidates)
    kept, counts = np.empty(pairs * limit, np.int64), np.empty(pairs, np.int64)
    sides = np.empty(pairs * limit * FIELDS, np.float64)
    _keep_boxes.bind(
        Boxes.astype(np.float32, copy=False), order, starts, FREE, FREE, FREE, threshold, limit, classes,
        per_image, int(center_point_box == 1), count=pairs, cost=PER_ELEMENT * len(order) * limit,
    )(kept, counts, sides)  # fmt: skip
    pair, place = np.nonzero(np.arange(limit) < counts[:, None])
    return np.stack([*np.divmod(pair, classes), kept.reshape(pairs, limit)[pair, place]], axis=1)


def _best_first(scores: Array, least: Array | None) -> Array:
    """The indices of the scores above a threshold, best first; of equal ones the first comes first."""
    above = np.arange(len(scores)) if least is None else np.flatnonzero(scores > least.reshape(-1)[0])
    return above[np.argsort(-scores[above], kind="stable")]
