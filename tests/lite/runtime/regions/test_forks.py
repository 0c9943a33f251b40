"""Models of devices in forked processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lite
from lite.runtime.regions.forks import FORKED
from tests.support.device_availability import require
from tests.support.small_convnet import convnet

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]

X = np.random.default_rng(1).standard_normal((1, 3, 16, 16)).astype(np.float32)
OTHER = np.ones((1, 3, 17, 16), np.float32)


def make(device: str, **fields: Any) -> lite.Predictor:
    config = lite.Config(model_buffer=b"in memory", devices=[device], valid_places=["host"], **fields)
    return lite.Predictor.of_program(convnet(), config)


def in_child(function: Callable[[], str]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        text = "failed"
        try:
            text = function()
        finally:
            os.write(writing, text.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text


def states(predictor: lite.Predictor) -> str:
    regions = predictor.report().to_dict()["regions"]
    return "; ".join(sorted({f"{region['state']} {region['reason']}".strip() for region in regions}))


@pytest.mark.parametrize("device", ["onnxruntime", "openvino"])
def test_a_model_with_threads_is_replaced_by_the_host_with_a_sentence(device: str) -> None:
    require(device)
    predictor = make(device, threads=2)
    expected = predictor.run({"x": X})["y"].copy()

    def work() -> str:
        for each in (predictor, predictor.clone()):
            np.testing.assert_allclose(each.run({"x": X})["y"], expected, rtol=0, atol=1e-3)
        return states(predictor)

    assert in_child(work) == f"host {device}: {FORKED}"
    assert states(predictor) == "built"
    np.testing.assert_array_equal(predictor.run({"x": X})["y"], expected)


def test_a_model_of_any_shape_is_built_again() -> None:
    require("onnxruntime")
    predictor = make("onnxruntime", threads=2, max_signatures=1)
    for x in (X, OTHER):
        predictor.run({"x": x})
    third = np.ones((1, 3, 18, 16), np.float32)
    expected = make("onnxruntime").run({"x": third})["y"].copy()

    def work() -> str:
        difference = np.abs(predictor.run({"x": third})["y"] - expected).max()
        return "right" if difference < 1e-3 else str(difference)

    assert in_child(work) == "right"


def test_it_is_an_error_without_fallback() -> None:
    require("onnxruntime")
    predictor = make("onnxruntime", fallback="error")
    predictor.run({"x": X})

    def work() -> str:
        for _ in range(2):
            try:
                predictor.run({"x": X})
            except lite.ExecutionError as error:
                text = str(error)
        return text

    assert in_child(work) == f"onnxruntime: {FORKED}"


def test_a_model_without_threads_runs_on() -> None:
    predictor = make("sim_npu")
    expected = predictor.run({"x": X})["y"].copy()

    def work() -> str:
        np.testing.assert_array_equal(predictor.run({"x": X})["y"], expected)
        return states(predictor)

    assert in_child(work) == "built"
