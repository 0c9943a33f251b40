"""Whole models on the HTP: strict fallback, almost all multiply-adds, and the accuracy of float16."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.device_availability import require
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

LEAST_MACS = 0.95

TOLERANCE = 1e-2

WITHOUT_MACS = {"box_selector", "loop_and_branches", "while_and_cond"}
"""Models without multiply-adds outside of control flow."""

LEAST_SQNR = 30.0
"""Decibels; the last layers of PP-OCR are steep, so that single elements differ by more than an op may."""


def on_htp(path: object, **shapes: tuple[int, ...]) -> lite.Predictor:
    require("qnn")
    config = lite.Config(str(path), devices=["qnn"], fallback="error", input_shapes=shapes)
    return lite.create_predictor(config)


def macs_on_htp(predictor: lite.Predictor) -> float:
    share: float = predictor.report().to_dict()["coverage"]["qnn"]["macs"]
    return share


def sqnr(got: Array, expected: Array) -> float:
    """The ratio of signal to error in decibels."""
    noise = float(np.square(got.astype(np.float64) - expected).sum())
    return 10 * float(np.log10(np.square(expected.astype(np.float64)).sum() / max(noise, 1e-30)))


@each_model
def test_reference_models_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    predictor = on_htp(model.path, **{name: array.shape for name, array in model.inputs.items()})

    assert difference(predictor.run(model.inputs), model.outputs, TOLERANCE) == ""
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
    assert [float(sqnr(a, b)) for a, b in zip(got.values(), expected.values(), strict=True)] == [
        pytest.approx(100, abs=100 - LEAST_SQNR) for _ in expected
    ]
