"""non_max_suppression by numpy."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("non_max_suppression")
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
    if not Scores.size:
        return np.empty((0, 3), np.int64)
    limit = 0 if MaxOutputBoxesPerClass is None else int(MaxOutputBoxesPerClass.reshape(-1)[0])
    most = 0.0 if IouThreshold is None else float(IouThreshold.reshape(-1)[0])
    least = None if ScoreThreshold is None else float(ScoreThreshold.reshape(-1)[0])
    low, high = _corners(Boxes.astype(np.float64), center_point_box == 1)
    chosen: list[tuple[int, int, int]] = []
    for image, classes in enumerate(Scores):
        for label, scores in enumerate(classes):
            order = np.argsort(-scores, kind="stable")
            if least is not None:
                order = order[scores[order] > least]
            kept = _kept(order, low[image], high[image], limit, most)
            chosen.extend((image, label, box) for box in kept)
    return np.array(chosen, np.int64).reshape(-1, 3)


def _corners(boxes: Array, centred: bool) -> tuple[Array, Array]:
    first, second = boxes[..., :2], boxes[..., 2:]
    if centred:
        return first - second / 2, first + second / 2
    return np.minimum(first, second), np.maximum(first, second)


def _kept(order: Array, low: Array, high: Array, limit: int, most: float) -> list[int]:
    area = (high - low).prod(axis=1)
    kept: list[int] = []
    while len(order) and len(kept) < limit:
        best, order = int(order[0]), order[1:]
        kept.append(best)
        sides = np.minimum(high[order], high[best]) - np.maximum(low[order], low[best])
        shared = np.clip(sides, 0, None).prod(axis=1)
        union = area[order] + area[best] - shared
        order = order[~(shared > most * union)]
    return kept
