"""detection_postprocess against loops over classes and boxes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.detection.test_nms import greedy

Row = tuple[float, float, Array]

COUNT = 30
SCALES = {"y_scale": 10.0, "x_scale": 8.0, "h_scale": 5.0, "w_scale": 4.0}
OUTPUTS = {"Out": 1, "Classes": 1, "KeptScores": 1, "Count": 1}


def given(classes: int) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    anchors = np.concatenate((rng.random((COUNT, 2)), rng.uniform(0.1, 0.4, (COUNT, 2))), axis=1)
    offsets, scores = rng.standard_normal((1, COUNT, 5)), rng.random((1, COUNT, classes))
    arrays = {"Boxes": offsets, "Scores": scores, "Anchors": anchors}
    return {slot: array.astype(np.float32) for slot, array in arrays.items()}


def decoded(inputs: dict[str, Array]) -> Array:
    rows = []
    for (y, x, height, width), offset in zip(
        inputs["Anchors"].tolist(), inputs["Boxes"][0].tolist(), strict=True
    ):
        centre = y + offset[0] / SCALES["y_scale"] * height, x + offset[1] / SCALES["x_scale"] * width
        half = (
            math.exp(offset[2] / SCALES["h_scale"]) * height / 2,
            math.exp(offset[3] / SCALES["w_scale"]) * width / 2,
        )
        rows.append([centre[0] - half[0], centre[1] - half[1], centre[0] + half[0], centre[1] + half[1]])
    return np.array(rows, np.float32)


def padded(rows: list[Row], size: int) -> list[Array]:
    boxes, labels, scores = np.zeros((size, 4)), np.zeros(size), np.zeros(size)
    for n, (label, score, box) in enumerate(rows):
        boxes[n], labels[n], scores[n] = box, label, score
    return [boxes[None], labels[None], scores[None]]


@pytest.mark.parametrize("background", [0, 1])
@pytest.mark.parametrize(("least", "most"), [(0.5, 6), (0.5, 99), (2.0, 4), (0.0, 0)])
def test_each_class_is_searched(background: int, least: float, most: int) -> None:
    inputs, classes = given(3 + background), 3
    attrs = {
        **SCALES, "num_classes": classes, "max_detections": most, "use_regular_nms": True,
        "detections_per_class": 4, "nms_score_threshold": least, "nms_iou_threshold": 0.3,
    }  # fmt: skip
    boxes, scores = decoded(inputs), inputs["Scores"][0, :, background:]

    found = checked("detection_postprocess", inputs, attrs, OUTPUTS)

    rows: list[Row] = []
    for label in range(classes):
        kept = greedy(boxes, scores[:, label], least, -1, 0.3, 1.0, normalized=True)[:4]
        rows += [(label, float(scores[n, label]), boxes[n]) for n in kept]
    rows = sorted(rows, key=lambda row: -row[1])[:most]
    for array, wanted in zip(found, [*padded(rows, most), np.array([len(rows)])], strict=True):
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("per_box", [1, 2, 5])
@pytest.mark.parametrize("background", [0, 1])
def test_boxes_compete_by_their_best_classes(per_box: int, background: int) -> None:
    inputs, classes, most = given(3 + background), 3, 20
    attrs = {
        **SCALES, "num_classes": classes, "max_detections": most, "max_classes_per_detection": per_box,
        "nms_score_threshold": 0.6, "nms_iou_threshold": 0.3,
    }  # fmt: skip
    boxes, scores = decoded(inputs), inputs["Scores"][0, :, background:]

    found = checked("detection_postprocess", inputs, attrs, OUTPUTS)

    kept = greedy(boxes, scores.max(axis=1), 0.6, -1, 0.3, 1.0, normalized=True)[:most]
    rows: list[Row] = []
    for n in kept:
        best = sorted(range(classes), key=lambda label: -float(scores[n, label]))[:per_box]
        rows += [(label, float(scores[n, label]), boxes[n]) for label in best]
        rows += [(0, 0.0, np.zeros(4))] * (per_box - len(best))
    for array, wanted in zip(found, [*padded(rows, most * per_box), np.array([len(kept)])], strict=True):
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-6)


def test_a_score_equal_to_the_threshold_counts() -> None:
    inputs = given(1)
    inputs["Scores"][:] = 0.5
    attrs = {**SCALES, "max_detections": 2, "nms_score_threshold": 0.5, "nms_iou_threshold": 1.0}
    assert checked("detection_postprocess", inputs, attrs, OUTPUTS)[3].tolist() == [2]
