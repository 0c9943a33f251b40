"""non_max_suppression, box by box."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked, same


def overlap(a: Array, b: Array) -> float:
    """Intersection over union of boxes given by opposite corners in any order."""
    sides = []
    for axis in (0, 1):
        first, second = sorted((a[axis], a[axis + 2])), sorted((b[axis], b[axis + 2]))
        sides.append((max(0.0, min(first[1], second[1]) - max(first[0], second[0])), first, second))
    shared = sides[0][0] * sides[1][0]
    areas = [np.prod([side[n][1] - side[n][0] for side in sides]) for n in (1, 2)]
    return float(shared / (sum(areas) - shared))


def expected(boxes: Array, scores: Array, limit: int, most: float, least: float) -> list[list[int]]:
    rows = []
    for image in range(len(boxes)):
        for label in range(scores.shape[1]):
            kept: list[int] = []
            for box in sorted(range(boxes.shape[1]), key=lambda n: -float(scores[image, label, n])):
                near = any(overlap(boxes[image, box], boxes[image, other]) > most for other in kept)
                if scores[image, label, box] > least and not near and len(kept) < limit:
                    kept.append(box)
            rows += [[image, label, box] for box in kept]
    return rows


@pytest.mark.parametrize("limit", [1, 3, 100])
@pytest.mark.parametrize("most", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("centred", [0, 1])
def test_boxes_that_overlap_a_better_one_are_dropped(limit: int, most: float, centred: int) -> None:
    source = np.random.default_rng(0)
    corners = source.uniform(0, 4, (2, 12, 4)).astype(np.float32)
    scores = source.uniform(0, 1, (2, 3, 12)).astype(np.float32)
    boxes = corners
    if centred:
        middle = (corners[..., :2] + corners[..., 2:]) / 2
        boxes = np.concatenate([middle, np.abs(corners[..., :2] - corners[..., 2:])], axis=2)
    inputs = {
        "Boxes": boxes,
        "Scores": scores,
        "MaxOutputBoxesPerClass": np.array([limit]),
        "IouThreshold": np.array(most, np.float32),
        "ScoreThreshold": np.array([0.25], np.float32),
    }

    (found,) = checked("non_max_suppression", inputs, {"center_point_box": centred})

    same(found, np.array(expected(corners, scores, limit, most, 0.25), np.int64).reshape(-1, 3))


def test_without_a_limit_no_box_is_chosen() -> None:
    inputs = {"Boxes": np.ones((1, 2, 4), np.float32), "Scores": np.ones((1, 1, 2), np.float32)}

    same(checked("non_max_suppression", inputs)[0], np.empty((0, 3), np.int64))
