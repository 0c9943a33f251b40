"""Whole models on the HTP: strict fallback, almost all multiply-adds, and the accuracy of float16."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import lite
from lite.ir.types import Array
from tests.support.device_availability import require
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

LEAST_MACS = 0.95

TOLERANCE = 1e-2

WITHOUT_MACS = {"box_selector", "loop_and_branches", "while_and_cond"}
"""Models without multiply-adds outside of control flow."""

LEAST_AGREEMENT = 0.95

TEXT = 0.3
"""The threshold of PP-OCR's detector."""

LEAST_SQNR = 25.0
"""Decibels; the last layers of PP-OCR are steep, so that single elements differ by more than an op may."""


BEFORE_SELECTION = {"yolo_matrix_nms": ["conv2d_2.tmp_1"]}
"""Values to compare instead of outputs: the selection of boxes turns on differences of their scores."""


def on_htp(path: object, keep: Sequence[str] = (), **shapes: tuple[int, ...]) -> lite.Predictor:
    require("qnn")
    config = lite.Config(str(path), devices=["qnn"], fallback="error", keep=keep, input_shapes=shapes)
    return lite.create_predictor(config)


def macs_on_htp(predictor: lite.Predictor) -> float:
    share: float = predictor.report().to_dict()["coverage"]["qnn"]["macs"]
    return share


def sqnr(got: Array, expected: Array) -> float:
    """The ratio of signal to error in decibels."""
    noise = float(np.square(got.astype(np.float64) - expected).sum())
    return 10 * float(np.log10(np.square(expected.astype(np.float64)).sum() / max(noise, 1e-30)))


def agreement(got: Array, expected: Array) -> float:
    """The share of equal decisions: the class of each position, or pixels that are text for both."""
    if got.ndim < 4:
        return float((got.argmax(-1) == expected.argmax(-1)).mean())
    text, wanted = got > TEXT, expected > TEXT
    return float((text & wanted).sum() / max((text | wanted).sum(), 1))


@each_model
def test_reference_models_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    keep = BEFORE_SELECTION.get(model.name, [])
    predictor = on_htp(model.path, keep, **{name: array.shape for name, array in model.inputs.items()})
    results, expected = predictor.run(model.inputs), model.outputs
    if keep:
        host = lite.create_predictor(lite.Config(model.path, keep=keep))
        host.run(model.inputs)
        results, expected = ({name: side.get(name) for name in keep} for side in (predictor, host))

    assert difference(results, expected, TOLERANCE) == ""
    if model.name not in WITHOUT_MACS:
        assert macs_on_htp(predictor) >= LEAST_MACS


@each_twin
@each_form
def test_ocr_models_run_there_completely(form: str, twin: Twin) -> None:
    require("qnn")
    path, image = twin.path(form), twin.image(0)
    host = lite.create_predictor(lite.Config(str(path)))
    predictor = on_htp(path, **{host.input_names[0]: image.shape})

    got, expected = predictor.run([image]), host.run([image])

    assert macs_on_htp(predictor) >= LEAST_MACS
    for result, wanted in zip(got.values(), expected.values(), strict=True):
        assert sqnr(result, wanted) >= LEAST_SQNR
        assert agreement(result, wanted) >= LEAST_AGREEMENT
