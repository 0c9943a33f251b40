"""Whole models on XLA without fallback: the multiply-adds on the device, and the outputs."""

from __future__ import annotations

import pytest

import lite
from tests.bridges.devices import XLA
from tests.support.ocr_models import Twin, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

LEAST = {"box_selector": 0.0, "crnn_lstm_gru": 0.3, "while_and_cond": 0.0, "loop_and_branches": 0.0}
"""The share of models with recurrent layers, which the host runs, and of models without multiply-adds."""


@each_model
def test_reference_models_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    XLA.open()
    shapes = {name: array.shape for name, array in model.inputs.items()}
    config = lite.Config(str(model.path), devices=["xla"], fallback="error", input_shapes=shapes)
    predictor = lite.create_predictor(config)

    assert difference(predictor.run(model.inputs), model.outputs, 1e-3) == ""
    coverage = predictor.report().to_dict()["coverage"]["xla"]
    assert coverage["macs"] >= LEAST.get(model.name, 0.95)


@each_twin
def test_ocr_models_equal_the_host(twin: Twin) -> None:
    XLA.open()
    path, image = twin.path("paddle"), twin.image(0)
    host = lite.create_predictor(lite.Config(str(path)))
    shapes = {host.input_names[0]: image.shape}
    config = lite.Config(str(path), devices=["xla"], fallback="error", input_shapes=shapes)
    predictor = lite.create_predictor(config)

    assert difference(predictor.run([image]), host.run([image]), 1e-3) == ""
    report = predictor.report().to_dict()
    assert len(report["regions"]) == 1
    assert report["coverage"]["xla"]["macs"] == pytest.approx(1)
