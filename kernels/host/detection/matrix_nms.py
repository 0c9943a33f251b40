"""matrix_nms by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.nms import best_scores, iou_matrix
from lite.plugin.kernel import Array, kernel


@kernel("matrix_nms")
def matrix_nms(
    BBoxes: Array,
    Scores: Array,
    *,
    background_label: int,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    normalized: bool,
    use_gaussian: bool,
    gaussian_sigma: float,
) -> tuple[Array, Array, Array]:
    """Paddle matrix_nms: decays each score by the overlaps of its box with better boxes of its class.

    Boxes ``float[N, M, 4]`` and scores ``[N, C, M]`` give rows (label, score, box), their indices
    ``int32[rows, 1]`` into the N·M boxes, and the number of rows ``int32[N]`` of each image.  X. Wang et al.,
    "SOLOv2", 2020.
    """
    rows: list[Array] = []
    index: list[Array] = []
    for image, scores in enumerate(Scores):
        boxes = BBoxes[image]
        labels, decayed, chosen = [np.empty(0, np.intp)], [np.empty(0, Scores.dtype)], [np.empty(0, np.intp)]
        for label, row in enumerate(scores):
            if label == background_label:
                continue
            best = best_scores(row, score_threshold, nms_top_k)
            value = row[best] * _decay(boxes[best], normalized, gaussian_sigma if use_gaussian else None)
            left = value > post_threshold
            labels.append(np.full(int(left.sum()), label))
            decayed.append(value[left])
            chosen.append(best[left])
        all_labels, all_scores, all_boxes = map(np.concatenate, (labels, decayed, chosen))
        order = np.argsort(-all_scores, kind="stable")
        if keep_top_k > -1:
            order = order[:keep_top_k]
        picked = all_boxes[order]
        rows.append(
            np.column_stack((all_labels[order], all_scores[order], boxes[picked])).astype(BBoxes.dtype)
        )
        index.append(picked + image * len(boxes))
    out = np.concatenate(rows) if rows else np.empty((0, 2 + BBoxes.shape[2]), BBoxes.dtype)
    indices = np.concatenate(index) if index else np.empty(0)
    counts = np.array([len(part) for part in rows], np.int32)
    return out, indices.astype(np.int32)[:, None], counts


def _decay(boxes: Array, normalized: bool, sigma: float | None) -> Array:
    """The factor of each box's score, best first: the least over all better boxes.

    A better box that is covered itself has a weaker effect.  `sigma` selects the Gaussian form instead of
    the linear one.
    """
    overlap = np.triu(iou_matrix(boxes, boxes, normalized), 1)
    covered = overlap.max(axis=0, initial=0)[:, None]
    if sigma is None:
        factor = np.divide(1 - overlap, 1 - covered, out=np.ones_like(overlap), where=covered < 1)
    else:
        factor = np.exp((covered**2 - overlap**2) * overlap.dtype.type(sigma))
    later = np.tri(len(boxes), dtype=bool)
    factor[later] = 1
    decay: Array = factor.min(axis=0, initial=1)
    return decay
