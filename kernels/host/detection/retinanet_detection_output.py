"""retinanet_detection_output by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.nms import best_scores, box_overlap, greedy_nms
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.box_center import decode, to_center
from lite.plugin.kernel.lod import Lods, offsets_of


@kernel("retinanet_detection_output")
def retinanet_detection_output(
    BBoxes: list[Array],
    Scores: list[Array],
    Anchors: list[Array],
    ImInfo: Array,
    *,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float,
    keep_top_k: int,
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle retinanet_detection_output: rows (label from 1, score, box), best first, cut into images.

    Each level has offsets ``[N, A, 4]``, scores ``[N, A, C]`` and anchors ``[A, 4]`` in pixels; the last one
    has no threshold.  Boxes are in pixels of the image before scaling; ``ImInfo[N, 3]`` is (height, width,
    scale).  T.-Y. Lin et al., "Focal Loss for Dense Object Detection", 2017.
    """
    images: list[Array] = []
    for image, info in enumerate(ImInfo):
        levels = []
        for level, (deltas, scores, anchors) in enumerate(zip(BBoxes, Scores, Anchors, strict=True)):
            least = score_threshold if level < len(Scores) - 1 else 0.0
            flat = scores[image].reshape(-1)
            best = best_scores(flat, least, nms_top_k)
            anchor, label = np.divmod(best, scores.shape[2])
            boxes = decode(deltas[image][anchor], *to_center(anchors[anchor], 1), 1) / info[2]
            limit = np.floor(info[1::-1] / info[2] + info.dtype.type(0.5)) - 1
            boxes = np.clip(boxes, 0, np.tile(limit, 2))
            levels.append(np.column_stack((label + 1, flat[best], boxes)).astype(flat.dtype))
        images.append(_suppress(np.concatenate(levels), nms_threshold, nms_eta, keep_top_k))
    out = np.concatenate([np.empty((0, 6), ImInfo.dtype), *images])
    return out, {"Out": [(offsets_of(len(rows) for rows in images),)]}


def _suppress(rows: Array, threshold: float, eta: float, most: int) -> Array:
    """Rows (label, score, box) after suppression within each class, best first, at most `most` (-1: all)."""
    kept = [np.empty(0, np.intp)]
    for label in np.unique(rows[:, 0]):
        of_class = np.flatnonzero(rows[:, 0] == label)
        order = of_class[np.argsort(-rows[of_class, 1], kind="stable")]
        overlap = box_overlap(rows[order, 2:], normalized=False)
        kept.append(order[greedy_nms(len(order), overlap, threshold, eta)])
    chosen = rows[np.concatenate(kept)]
    chosen = chosen[np.argsort(-chosen[:, 1], kind="stable")]
    return chosen[:most] if most > -1 else chosen
