"""Whole models on LiteRT without fallback: the multiply-adds on the device, and the recorded outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

import lite
from tests.bridges.devices import LITERT
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

TOLERANCE = 1e-3

LEAST = {"box_selector": 0.0, "crnn_lstm_gru": 0.3, "while_and_cond": 0.0, "loop_and_branches": 0.0}
"""The share of models with recurrent layers, which the host runs, and of models without multiply-adds."""


def on_litert(path: Path, shapes: dict[str, tuple[int, ...]]) -> lite.Predictor:
    LITERT.open()
    return lite.create_predictor(
        lite.Config(str(path), devices=["litert"], fallback="error", input_shapes=shapes)
    )


@each_model
def test_reference_models_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    shapes = {name: array.shape for name, array in model.inputs.items()}
    predictor = on_litert(model.path, shapes)

    assert difference(predictor.run(model.inputs), model.outputs, TOLERANCE) == ""
    coverage = predictor.report().to_dict()["coverage"]["litert"]
    assert coverage["macs"] >= LEAST.get(model.name, 0.95)


@each_twin
@each_form
def test_ocr_models_equal_the_host(form: str, twin: Twin) -> None:
    path, image = twin.path(form), twin.image(0)
    host = lite.create_predictor(lite.Config(str(path)))
    predictor = on_litert(path, {host.input_names[0]: image.shape})

    assert difference(predictor.run([image]), host.run([image]), TOLERANCE) == ""
    report = predictor.report().to_dict()
    assert len(report["regions"]) == 1
    assert report["coverage"]["litert"]["macs"] == pytest.approx(1)
