"""Whole models as StableHLO: the multiply-adds in regions, and the recorded outputs by the interpreter."""

from __future__ import annotations

import pytest

import lite
from tests.bridges.stablehlo.interpreted import interpreted
from tests.support.reference_models import ReferenceModel, difference, each_model

__all__ = ["interpreted"]

LEAST = {"box_selector": 0.0, "crnn_lstm_gru": 0.3, "while_and_cond": 0.0, "loop_and_branches": 0.0}
"""The share of models with recurrent layers, which the host runs, and of models without multiply-adds."""


@pytest.mark.usefixtures("interpreted")
@each_model
def test_reference_models_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    shapes = {name: array.shape for name, array in model.inputs.items()}
    config = lite.Config(str(model.path), devices=["xla"], fallback="error", input_shapes=shapes)
    predictor = lite.create_predictor(config)

    assert difference(predictor.run(model.inputs), model.outputs, 1e-3) == ""
    coverage = predictor.report().to_dict()["coverage"]["xla"]
    assert coverage["macs"] >= LEAST.get(model.name, 0.95)
