"""Shapes of anchors, boxes, proposals and selections of boxes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ops.prior_ratios import expanded_ratios
from tests.lite.ops.inferred import inferred

Inputs = Mapping[str, str | list[str]]

IMAGE = {"Input": "float32[n,3,4,w]", "Image": "float32[n,3,64,64]"}
SIZED = {"Input": "float32[n,3,4,5]", "Image": "float32[n,3,64,64]"}
SCORED = {"BBoxes": "float32[n,m,8]", "Scores": "float32[n,3,m]"}
PROPOSED = {
    "Scores": "float32[n,2,h,w]",
    "BboxDeltas": "float32[n,8,h,w]",
    "Anchors": "float32[h,w,2,4]",
    "Variances": "float32[h,w,2,4]",
}

RULES: list[tuple[str, Inputs, dict[str, AttrValue], list[str], str]] = [
    (
        "prior_box",
        IMAGE,
        {"min_sizes": [4.0, 8.0], "max_sizes": [8.0, 9.0], "aspect_ratios": [2.0]},
        ["Boxes", "Variances"],
        "float32[4,w,8,4] float32[4,w,8,4]",
    ),
    (
        "density_prior_box",
        IMAGE,
        {"fixed_sizes": [4.0, 8.0], "densities": [3, 1], "fixed_ratios": [1.0]},
        ["Boxes", "Variances"],
        "float32[4,w,10,4] float32[4,w,10,4]",
    ),
    (
        "density_prior_box",
        SIZED,
        {"fixed_sizes": [4.0], "densities": [2], "fixed_ratios": [1.0], "flatten_to_2d": True},
        ["Boxes", "Variances"],
        "float32[80,4] float32[80,4]",
    ),
    (
        "anchor_generator",
        {"Input": "float32[n,3,h,w]"},
        {"anchor_sizes": [1.0], "aspect_ratios": [1.0, 2.0]},
        ["Anchors", "Variances"],
        "float32[h,w,2,4] float32[h,w,2,4]",
    ),
    (
        "box_coder",
        {"PriorBox": "float32[m,4]", "TargetBox": "float32[n,4]"},
        {},
        ["OutputBox"],
        "float32[n,m,4]",
    ),
    (
        "box_coder",
        {"PriorBox": "float32[m,4]", "TargetBox": "float32[n,m,4]"},
        {"code_type": "decode_center_size"},
        ["OutputBox"],
        "float32[n,m,4]",
    ),
    (
        "yolo_box",
        {"X": "float32[n,14,h,w]", "ImgSize": "int32[n,2]"},
        {"class_num": 2, "anchors": [1, 2, 3, 4]},
        ["Boxes", "Scores"],
        "float32[n,?,4] float32[n,?,2]",
    ),
    (
        "yolo_box",
        {"X": "float32[n,14,3,4]", "ImgSize": "int32[n,2]"},
        {"class_num": 2, "anchors": [1, 2, 3, 4]},
        ["Boxes", "Scores"],
        "float32[n,24,4] float32[n,24,2]",
    ),
    ("multiclass_nms", SCORED, {}, ["Out"], "float32[?,?]"),
    ("multiclass_nms2", SCORED, {}, ["Out", "Index"], "float32[?,10] int32[?,1]"),
    ("multiclass_nms3", SCORED, {}, ["Out", "Index", "NmsRoisNum"], "float32[?,10] int32[?,1] int32[n]"),
    (
        "multiclass_nms3",
        {"BBoxes": "float32[m,3,4]", "Scores": "float32[m,3]", "RoisNum": "int32[b]"},
        {},
        ["Out", "NmsRoisNum"],
        "float32[?,6] int32[b]",
    ),
    ("matrix_nms", SCORED, {}, ["Out", "Index", "RoisNum"], "float32[?,10] int32[?,1] int32[n]"),
    (
        "retinanet_detection_output",
        {
            "BBoxes": ["float32[n,a,4]"],
            "Scores": ["float32[n,a,3]"],
            "Anchors": ["float32[a,4]"],
            "ImInfo": "float32[n,3]",
        },
        {},
        ["Out"],
        "float32[?,6]",
    ),
    (
        "generate_proposals_v2",
        PROPOSED | {"ImShape": "float32[n,2]"},
        {},
        ["RpnRois", "RpnRoiProbs", "RpnRoisNum"],
        "float32[?,4] float32[?,1] int32[n]",
    ),
    (
        "collect_fpn_proposals",
        {
            "MultiLevelRois": ["float32[a,4]"],
            "MultiLevelScores": ["float32[a,1]"],
            "MultiLevelRoIsNum": ["int32[b]"],
        },
        {"post_nms_topN": 9},
        ["FpnRois", "RoisNum"],
        "float32[?,4] int32[b]",
    ),
    (
        "roi_align",
        {"X": "float32[n,8,h,w]", "ROIs": "float32[r,4]"},
        {"pooled_height": 2, "pooled_width": 3},
        ["Out"],
        "float32[r,8,2,3]",
    ),
    (
        "roi_perspective_transform",
        {"X": "float32[n,8,h,w]", "ROIs": "float32[r,8]"},
        {"transformed_height": 2},
        ["Out", "Mask", "TransformMatrix"],
        "float32[r,8,2,1] int32[r,1,2,1] float32[r,9]",
    ),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "outputs", "expected"), RULES)
def test_symbolic_sizes(
    op: str, inputs: Inputs, attrs: dict[str, AttrValue], outputs: list[str], expected: str
) -> None:
    assert inferred(op, inputs, attrs, dict.fromkeys(outputs, 1)) == expected


def test_box_coder_refuses_to_decode_a_matrix() -> None:
    with pytest.raises(GraphError, match="TargetBox: expected rank 3"):
        inferred(
            "box_coder",
            {"PriorBox": "float32[m,4]", "TargetBox": "float32[n,4]"},
            {"code_type": "decode_center_size"},
            {"OutputBox": 1},
        )


@pytest.mark.parametrize(
    ("op", "slot"),
    [("non_max_suppression", "Boxes"), ("matrix_nms", "BBoxes"), ("multiclass_nms3", "BBoxes")],
)
@pytest.mark.parametrize("shape", ["[1,5,4]", "[2,6,4]"])
def test_scores_of_other_boxes_are_refused(op: str, slot: str, shape: str) -> None:
    scores = {"Scores": "float32[2,3,5]"}
    for images in (2, 3):
        assert inferred(op, {slot: f"float32[{images},5,4]", **scores}, {}, {"Out": 1})
    message = r"slot Scores: expected \[at most \d,classes,\d\], got float32\[2,3,5\]"
    with pytest.raises(GraphError, match=message):
        inferred(op, {slot: f"float32{shape}", **scores}, {}, {"Out": 1})


@pytest.mark.parametrize(
    ("ratios", "flip", "expected"),
    [([], True, [1]), ([1.0, 2.0, 2.0], False, [1, 2]), ([2.0, 0.5, 4.0], True, [1, 2, 0.5, 4, 0.25])],
)
def test_prior_boxes_have_each_ratio_and_its_inverse_once(
    ratios: list[float], flip: bool, expected: list[float]
) -> None:
    assert expanded_ratios(ratios, flip) == expected
