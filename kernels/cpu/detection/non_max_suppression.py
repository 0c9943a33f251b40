"""non_max_suppression with a compiled search among the boxes of each class."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_choose_boxes = Function("sorting.nms.choose_boxes")


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
    least = 0.0 if ScoreThreshold is None else float(ScoreThreshold.reshape(-1)[0])
    pairs, limit = images * classes, min(limit, per_image)
    if limit <= 0:
        return np.empty((0, 3), np.int64)
    kept, counts = np.empty((pairs, limit), np.int64), np.empty(pairs, np.int64)
    heap, sides = np.empty(Scores.size, np.int64), np.empty(pairs * limit * FIELDS, np.float64)
    _choose_boxes.bind(
        FREE, FREE, FREE, FREE, FREE, FREE, threshold, least, int(ScoreThreshold is None), limit, classes,
        per_image, int(center_point_box == 1),
        count=pairs, cost=2 * PER_ELEMENT * pairs * (per_image + limit * limit),
    )(
        Boxes.astype(np.float32, copy=False), Scores.astype(np.float32, copy=False), heap, kept, counts, sides
    )  # fmt: skip
    pair = np.arange(pairs).repeat(counts)
    rows = np.empty((len(pair), 3), np.int64)
    np.divmod(pair, classes, out=(rows[:, 0], rows[:, 1]))
    rows[:, 2] = kept[np.arange(limit) < counts[:, None]]
    return rows
