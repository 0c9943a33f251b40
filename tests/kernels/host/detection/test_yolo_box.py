"""yolo_box against one anchor of one cell at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from tests.kernels.host.checked import checked
from tests.kernels.host.sequence.run_lod_op import draw, int32


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("aware", [False, True])
@pytest.mark.parametrize(("scale", "threshold"), [(1.0, 0.4), (1.2, 0.0), (1.0, 1.0)])
def test_boxes_and_scores_are_their_definition(
    clip: bool, aware: bool, scale: float, threshold: float
) -> None:
    x = draw(2, 16 if aware else 14, 2, 3)
    attrs: dict[str, AttrValue] = {
        "class_num": 2,
        "anchors": [10, 13, 16, 30],
        "downsample_ratio": 8,
        "conf_thresh": threshold,
        "clip_bbox": clip,
        "scale_x_y": scale,
        "iou_aware": aware,
        "iou_aware_factor": 0.3,
    }
    sizes = int32([[50, 60], [33, 44]])

    boxes, scores = checked("yolo_box", {"X": x, "ImgSize": sizes}, attrs, {"Boxes": 1, "Scores": 1})

    want_boxes, want_scores = np.zeros((2, 12, 4)), np.zeros((2, 12, 2))
    for n, (height, width) in enumerate(sizes.tolist()):
        for place, (a, row, column) in enumerate(np.ndindex(2, 2, 3)):
            cell = x[n, (2 if aware else 0) + 7 * a :, row, column].tolist()
            confidence = sigmoid(cell[4])
            if aware:
                confidence = confidence**0.7 * sigmoid(float(x[n, a, row, column])) ** 0.3
            if confidence < threshold:
                continue
            cx = (column + sigmoid(cell[0]) * scale - (scale - 1) / 2) * width / 3
            cy = (row + sigmoid(cell[1]) * scale - (scale - 1) / 2) * height / 2
            w = math.exp(cell[2]) * (10, 16)[a] * width / 24
            h = math.exp(cell[3]) * (13, 30)[a] * height / 16
            box = [cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2]
            if clip:
                box = [max(box[0], 0), max(box[1], 0), min(box[2], width - 1), min(box[3], height - 1)]
            want_boxes[n, place] = box
            want_scores[n, place] = [confidence * sigmoid(c) for c in cell[5:7]]
    np.testing.assert_allclose(boxes, want_boxes, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(scores, want_scores, atol=1e-5)


def test_wrong_channels_are_refused() -> None:
    inputs = {"X": draw(1, 13, 2, 2), "ImgSize": int32([[8, 8]])}
    with pytest.raises(GraphError, match="14 channels for 2 anchors and 2 classes"):
        checked("yolo_box", inputs, {"class_num": 2, "anchors": [1, 2, 3, 4]}, {"Boxes": 1, "Scores": 1})
