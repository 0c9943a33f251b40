"""matrix_nms by numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.detection.nms import best_scores, iou_matrix
from lite.plugin.kernel import Array, kernel


@dataclass(frozen=True)
class MatrixAttributes:
    """The attributes of matrix_nms."""

    background_label: int
    score_threshold: float
    post_threshold: float
    nms_top_k: int
    keep_top_k: int
    normalized: bool
    use_gaussian: bool
    gaussian_sigma: float


@kernel("matrix_nms", attrs=MatrixAttributes)
def matrix_nms(BBoxes: Array, Scores: Array, *, attrs: MatrixAttributes) -> tuple[Array, Array, Array]:
    """Paddle matrix_nms: decays each score by the overlaps of its box with better boxes of its class.

    Boxes ``float[N, M, 4]`` and scores ``[N, C, M]`` give rows (label, score, box), their indices
    ``int32[rows, 1]`` into the N·M boxes, and the number of rows ``int32[N]`` of each image.  X. Wang et al.,
    "SOLOv2", 2020.
    """
    return detected(BBoxes, Scores, attrs, _factors)


Factors = Callable[[Array, Array, MatrixAttributes], tuple[Array, Array, Array]]
"""Labels, box numbers and factors of the scores of an image's candidates, by label and falling score.

From boxes ``[M, 4]`` and scores ``[C, M]``.
"""


def detected(
    boxes: Array, scores: Array, attrs: MatrixAttributes, find: Factors
) -> tuple[Array, Array, Array]:
    """The results of matrix_nms."""
    rows = [np.empty((0, 2 + boxes.shape[2]), boxes.dtype)]
    index = [np.empty(0, np.int32)]
    for image, (here, by_class) in enumerate(zip(boxes, scores, strict=True)):
        labels, places, factors = find(here, by_class, attrs)
        decayed = by_class[labels, places] * factors
        left = np.flatnonzero(decayed > attrs.post_threshold)
        best = left[np.argsort(-decayed[left], kind="stable")]
        if attrs.keep_top_k > -1:
            best = best[: attrs.keep_top_k]
        picked = places[best]
        rows.append(np.column_stack((labels[best], decayed[best], here[picked])).astype(boxes.dtype))
        index.append((picked + image * len(here)).astype(np.int32))
    counts = np.array([len(part) for part in rows[1:]], np.int32)
    return np.concatenate(rows), np.concatenate(index)[:, None], counts


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
