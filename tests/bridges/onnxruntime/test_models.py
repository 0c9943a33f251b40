"""Whole models on the device, without fallback and without ops on the host."""

from __future__ import annotations

from collections import Counter

import lite
from tests.bridges.devices import ONNXRUNTIME
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

TOLERANCE = 1e-3

CONTROL_FLOW = {"while_and_cond": 7, "loop_and_branches": 7}
"""Models with ops on the host, and how many: loops, branches, and single ops between them."""


def on_device(path: object) -> lite.Predictor:
    ONNXRUNTIME.open()
    return lite.create_predictor(lite.Config(str(path), devices=["onnxruntime"], fallback="error"))


def placements(predictor: lite.Predictor) -> Counter[str]:
    return Counter(op["placed_on"] for op in predictor.report().to_dict()["ops"])


@each_model
def test_reference_models_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    predictor = on_device(model.path)

    assert difference(predictor.run(model.inputs), model.outputs, TOLERANCE) == ""
    assert placements(predictor)["host"] == CONTROL_FLOW.get(model.name, 0)


@each_twin
@each_form
def test_ocr_models_equal_the_host(form: str, twin: Twin) -> None:
    path = twin.path(form)
    image = twin.image(0)
    host = lite.create_predictor(lite.Config(str(path)))
    predictor = on_device(path)

    assert difference(predictor.run([image]), host.run([image]), TOLERANCE) == ""
    assert set(placements(predictor)) == {"onnxruntime"}
    assert len(predictor.report().to_dict()["regions"]) == 1
