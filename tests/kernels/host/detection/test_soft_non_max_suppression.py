"""soft_non_max_suppression, box by box."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked, same

OUTPUTS = {"Out": 1, "KeptScores": 1, "Count": 1}


def overlap(a: Array, b: Array) -> float:
    """Intersection over union of boxes given by opposite corners in any order; 0 for an empty box."""
    shared, areas = 1.0, [1.0, 1.0]
    for axis in (0, 1):
        first, second = sorted((a[axis], a[axis + 2])), sorted((b[axis], b[axis + 2]))
        shared *= max(0.0, min(first[1], second[1]) - max(first[0], second[0]))
        areas = [areas[0] * (first[1] - first[0]), areas[1] * (second[1] - second[0])]
    return float(shared / (sum(areas) - shared)) if min(areas) > 0 else 0.0


def expected(boxes: Array, scores: Array, limit: int, most: float, least: float, sigma: float) -> list[Array]:
    """Choose the best of the scores that the chosen boxes lowered, until none is left."""
    lowered = {n: float(score) for n, score in enumerate(scores)}
    chosen: list[tuple[int, float]] = []
    while len(chosen) < limit and any(score > least for score in lowered.values()):
        best = max(lowered, key=lambda n: (lowered[n], -n))
        chosen.append((best, lowered.pop(best)))
        for n in list(lowered):
            shared = overlap(boxes[n], boxes[best])
            if sigma > 0:
                lowered[n] *= math.exp(-(shared**2) / (2 * sigma))
            if shared >= most:
                del lowered[n]
    padding = [0] * (limit - len(chosen))
    indices = np.array([*(box for box, _ in chosen), *padding], np.int32)
    kept = np.array([*(score for _, score in chosen), *padding], boxes.dtype)
    return [indices, kept, np.array(len(chosen), np.int32)]


@pytest.mark.parametrize("limit", [0, 3, 30])
@pytest.mark.parametrize("most", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("sigma", [None, 0.0, 0.5])
def test_overlaps_drop_boxes_or_lower_their_scores(limit: int, most: float, sigma: float | None) -> None:
    source = np.random.default_rng(0)
    boxes = source.uniform(0, 4, (20, 4))
    boxes[3, 2] = boxes[3, 0]
    scores = source.uniform(0, 1, 20)
    inputs: dict[str, Array] = {
        "Boxes": boxes,
        "Scores": scores,
        "MaxOutputSize": np.array(limit, np.int32),
        "IouThreshold": np.array(most),
        "ScoreThreshold": np.array([0.25]),
    }
    if sigma is not None:
        inputs["Sigma"] = np.array(sigma)

    found = checked("soft_non_max_suppression", inputs, outputs=OUTPUTS)

    indices, kept, count = expected(boxes, scores, limit, most, 0.25, sigma or 0.0)
    same(found[0], indices)
    np.testing.assert_allclose(found[1], kept, rtol=1e-9)
    same(found[2], count)


def test_equal_scores_keep_the_order_of_the_boxes() -> None:
    inputs: dict[str, Array] = {
        "Boxes": np.array([[0, 0, 1, 1], [5, 5, 6, 6], [2, 2, 3, 3]], np.float32),
        "Scores": np.ones(3, np.float32),
        "MaxOutputSize": np.array(2, np.int32),
        "IouThreshold": np.array(0.5, np.float32),
        "ScoreThreshold": np.array(0, np.float32),
    }
    indices, _, count = checked("soft_non_max_suppression", inputs, outputs=OUTPUTS)
    assert (indices.tolist(), int(count)) == ([0, 1], 2)
