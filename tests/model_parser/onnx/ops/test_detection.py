"""RoiAlign, MaxRoiPool and NonMaxSuppression."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import check_against_reference, model_of, run

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 2])
def test_roi_align_equals_the_reference(mode: str, ratio: int) -> None:
    boxes = np.array([[0, 0, 3, 3], [1, 0.5, 4, 2.5], [-2, -1, 8, 8]], np.float32)
    attrs = {
        "mode": mode,
        "sampling_ratio": ratio,
        "output_height": 2,
        "output_width": 3,
        "spatial_scale": 0.9,
    }

    check_against_reference("RoiAlign", [X, boxes, np.array([1, 0, 1])], attrs)


def test_max_roi_pool_gives_the_maxima_of_each_box() -> None:
    boxes = np.array([[1, 0, 0, 3, 3], [0, 1, 1, 2, 3]], np.float32)

    output = run(model_of("MaxRoiPool", [X, boxes], {"pooled_shape": [2, 2]}), {"x0": X, "x1": boxes})["y0"]

    first = X[1, :, :4, :4].reshape(3, 2, 2, 2, 2).max((2, 4))
    rows = X[0, :, 1:4, 1:3]
    second = np.stack([rows[:, :2].max(1), rows[:, 1:].max(1)], 1)
    np.testing.assert_array_equal(output, np.stack([first, second]))


@pytest.mark.parametrize("centred", [0, 1])
def test_non_max_suppression_of_corner_and_centre_boxes(centred: int) -> None:
    corners = np.array([[0, 0, 2, 2], [0, 0.2, 2, 2.2], [5, 5, 6, 6], [2, 2, 0, 0]], np.float32)
    boxes = corners
    if centred:
        middle, size = (corners[:, :2] + corners[:, 2:]) / 2, np.abs(corners[:, 2:] - corners[:, :2])
        boxes = np.concatenate([middle, size], 1)
    scores = np.array([[0.5, 0.9, 0.3, 0.05]], np.float32)
    inputs = [
        boxes[None],
        scores[None],
        np.array([3]),
        np.array([0.5], np.float32),
        np.array([0.1], np.float32),
    ]

    output = run(
        model_of("NonMaxSuppression", inputs, {"center_point_box": centred}),
        {f"x{n}": array for n, array in enumerate(inputs)},
    )["y0"]

    assert output.tolist() == [[0, 0, 1], [0, 0, 2]]
