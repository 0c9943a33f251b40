"""matrix_nms by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.nms import best_scores, iou_matrix
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.matrix_nms import MatrixAttributes, detected


@kernel("matrix_nms", attrs=MatrixAttributes)
def matrix_nms(BBoxes: Array, Scores: Array, *, attrs: MatrixAttributes) -> tuple[Array, Array, Array]:
    """Paddle matrix_nms: decays each score by the overlaps of its box with better boxes of its class.

    Boxes ``float[N, M, 4]`` and scores ``[N, C, M]`` give rows (label, score, box), their indices
    ``int32[rows, 1]`` into the N·M boxes, and the number of rows ``int32[N]`` of each image.  X. Wang et al.,
    "SOLOv2", 2020.
    """
    return detected(BBoxes, Scores, attrs, _factors)


def _factors(boxes: Array, scores: Array, attrs: MatrixAttributes) -> tuple[Array, Array, Array]:
    """`Factors` by numpy."""
    labels, places = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    factors = [np.empty(0, scores.dtype)]
    sigma = attrs.gaussian_sigma if attrs.use_gaussian else None
    for label, row in enumerate(scores):
        if label == attrs.background_label:
            continue
        best = best_scores(row, attrs.score_threshold, attrs.nms_top_k)
        labels.append(np.full(len(best), label))
        places.append(best)
        factors.append(_decay(boxes[best], attrs.normalized, sigma))
    return np.concatenate(labels), np.concatenate(places), np.concatenate(factors)


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
