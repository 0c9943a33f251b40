"""The results of Paddle's matrix_nms, from the factors of the scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array


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
