"""Whole models on every available device and pair of devices: equal, and placed as promised."""

from __future__ import annotations

import itertools

import pytest

import lite
from lite.ir.types import Array
from tests.support.device_availability import require
from tests.support.log_records import warnings_in
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

TOLERANCE = 1e-3
"""Largest difference on a device, relative to the largest value of an output."""

DEVICES = ("openvino", "onnxruntime", "sim_npu")
WHOLE = ("openvino", "onnxruntime")
"""Devices that take every op of the models in `WHOLE_MODELS`."""
WHOLE_MODELS = frozenset(
    {
        "mobilenet_v1_x0_25",
        "mobilenet_v3_small_x0_5",
        "shufflenet_v2_x0_25",
        "unet",
        "vit_tiny",
        "separable_classifier",
        "pyramid_detector",
        "attention_reader",
        "encoder",
    }
)

each_choice = pytest.mark.parametrize(
    "devices",
    [*((name,) for name in DEVICES), *itertools.permutations(DEVICES, 2)],
    ids="+".join,
)


def on_devices(model: object, devices: tuple[str, ...]) -> lite.Predictor:
    return lite.create_predictor(lite.Config(str(model), devices=devices, fallback="error", debug=True))


def on_host(report: lite.PlacementReport) -> dict[str, dict[str, str]]:
    """The reasons of the ops that stayed on the host, by name."""
    return {op.name: op.why_not for op in report.ops if op.placed_on == "host"}


def check_reasons(report: lite.PlacementReport, devices: tuple[str, ...]) -> None:
    """Every op on the host has a sentence from every device."""
    for name, reasons in on_host(report).items():
        assert set(reasons) == set(devices), name
        assert all(reasons.values()), name


@each_choice
@each_model
def test_reference_models_equal_the_recorded_outputs(
    model: ReferenceModel, devices: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    require(*devices)
    predictor = on_devices(model.path, devices)
    for _ in range(2):
        assert difference(predictor.run(model.inputs), model.outputs, TOLERANCE) == ""
    report = predictor.report()
    check_reasons(report, devices)
    assert {state for region in report.regions for state in region.state.split(" / ")} <= {"built"}
    if model.name in WHOLE_MODELS and devices[0] in WHOLE:
        assert on_host(report) == {}
        assert len(report.regions) == 1
    assert warnings_in(caplog) == []


@each_choice
@each_twin
@each_form
def test_ocr_models_equal_the_host(twin: Twin, devices: tuple[str, ...], form: str) -> None:
    require(*devices)
    path = twin.path(form)
    host, predictor = lite.create_predictor(lite.Config(path)), on_devices(path, devices)
    image: Array = twin.image(5)
    expected = dict(zip(predictor.output_names, host.run([image]).values(), strict=True))
    assert difference(predictor.run([image]), expected, TOLERANCE) == ""
    report = predictor.report()
    check_reasons(report, devices)
    if devices[0] in WHOLE:
        assert on_host(report) == {}
        assert len(report.regions) == 1
