"""Non-maximum suppression equals TensorFlow Lite's interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Array, Case, case, quantised
from tests.record_tflite import run

COUNT = 40


def boxes_and_scores() -> list[Array]:
    """Boxes (y, x, y, x) with corners in any order, and their scores.

    None is empty: the interpreter chooses an empty box again and again.
    """
    source = np.random.default_rng(0)
    return [
        source.uniform(0, size, shape).astype(np.float32) for size, shape in ((4, (COUNT, 4)), (1, COUNT))
    ]


@pytest.mark.parametrize("limit", [1, 5, 60])
@pytest.mark.parametrize("overlap", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("least", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("sigma", [None, 0.0, 0.5])
def test_non_max_suppression(limit: int, overlap: float, least: float, sigma: float | None) -> None:
    numbers = [np.float32(number) for number in (overlap, least, sigma) if number is not None]
    constants = dict(enumerate([np.array(limit, np.int32), *map(np.asarray, numbers)], 2))
    outputs = [((limit,), "int32"), ((limit,), "float32"), ((), "int32")]
    op, kept = ("NON_MAX_SUPPRESSION_V4", outputs[::2])
    if sigma is not None:
        op, kept = "NON_MAX_SUPPRESSION_V5", outputs
    check(case("boxes", op, boxes_and_scores(), kept, constants=constants))
    inputs = [*boxes_and_scores(), *constants.values()]
    check(case("computed", op, inputs, kept))


def test_a_missing_threshold_is_refused() -> None:
    wrong = case("wrong", "NON_MAX_SUPPRESSION_V4", boxes_and_scores(), [((1,), "int32"), ((), "int32")])
    with pytest.raises(ModelParseError, match="expected 5 inputs and 2 outputs, got 2 and 2"):
        lite.load_program(ModelSource(model=wrong.model))


def test_quantised_boxes_are_refused() -> None:
    constants = {2: np.array(1, np.int32), 3: np.array(0.5, np.float32), 4: np.array(0, np.float32)}
    inputs: list[Array] = [np.zeros((2, 4), np.int8), np.zeros(2, np.float32)]
    outputs = [((1,), "int32"), ((), "int32")]
    scales = {0: (0.1, 0)}
    wrong = case("wrong", "NON_MAX_SUPPRESSION_V4", inputs, outputs, constants=constants, scales=scales)
    with pytest.raises(ModelParseError, match="quantised tensors are not supported"):
        lite.load_program(ModelSource(model=wrong.model))


def detector(options: dict[str, float], *, types: str = "float32") -> Case:
    """A model of one TFLite_Detection_PostProcess of 4 classes and the background."""
    flexbuffers = pytest.importorskip("flatbuffers.flexbuffers", reason="it writes the options")
    source, builder = np.random.default_rng(1), TfliteBuilder()
    anchors = np.concatenate([source.random((COUNT, 2)), source.uniform(0.1, 0.4, (COUNT, 2))], axis=1)
    offsets, scores = source.standard_normal((1, COUNT, 4)), source.random((1, COUNT, 5))
    scales = [(0.05, 128), (1 / 255, 0), (0.01, 3)] if types == "uint8" else [None] * 3
    arrays = [
        quantised(array, scale, types) if scale else array.astype(np.float32)
        for array, scale in zip((offsets, scores, anchors), scales, strict=True)
    ]
    keys: list[dict[str, Any]] = [{"scale": scale[0], "zero": scale[1]} if scale else {} for scale in scales]
    numbers = [
        builder.tensor("boxes", arrays[0].shape, types, **keys[0]),
        builder.tensor("scores", arrays[1].shape, types, **keys[1]),
        builder.constant("anchors", arrays[2], **keys[2]),
    ]
    size = int(options["max_detections"] * options["max_classes_per_detection"])
    shapes = (1, size, 4), (1, size), (1, size), (1,)
    results = [builder.tensor(f"y{n}", shape) for n, shape in enumerate(shapes)]
    builder.op("CUSTOM", numbers, results)
    builder.codes[-1][1] = "TFLite_Detection_PostProcess"
    builder.operators[-1][5] = bytes(flexbuffers.Dumps(options))
    return Case("detector", builder.model(numbers[:2], results), arrays[:2])


OPTIONS = {
    "max_detections": 6, "max_classes_per_detection": 1, "num_classes": 4, "nms_score_threshold": 0.2,
    "nms_iou_threshold": 0.5, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
}  # fmt: skip


@pytest.mark.parametrize("types", ["float32", "uint8"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_classes_per_detection": 3},
        {"use_regular_nms": True},
        {"use_regular_nms": True, "max_detections": 60, "detections_per_class": 2},
    ],
)
def test_detections(options: dict[str, float], types: str) -> None:
    found = detector({**OPTIONS, **options}, types=types)
    check(found, expected=detections(found, int(options.get("max_classes_per_detection", 1))))


def detections(model: Case, per_box: int) -> list[Array]:
    """The interpreter's outputs; what follows the detections is undefined there, and 0 here."""
    pytest.importorskip("ai_edge_litert", reason="the outputs are those of its interpreter")
    boxes, classes, scores, count = run(model)
    for array in (boxes, classes, scores):
        array[:, int(count[0]) * per_box :] = 0
    return [boxes, classes, scores, count]
