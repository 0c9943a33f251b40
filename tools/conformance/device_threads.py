"""Section ``threads``: clones in several threads, each with its own inputs."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from lite.session.predictor import Predictor
from lite.tools.conformance.device_under_test import PASSED, Check, DeviceUnderTest, Result
from lite.tools.conformance.probe_models import image

THREADS = 4
RUNS = 5


def checks(device: DeviceUnderTest, _: Path) -> Mapping[str, Check]:
    """The checks of the section."""
    return {
        "clones that need the compiled model at the same time": lambda: _clones(
            device, device.predictor(device.model)
        ),
        "clones of a predictor that has run": lambda: _clones(device, _after_a_run(device)),
        "independent predictors": lambda: _run_in_threads(
            device, [device.predictor(device.model) for _ in range(THREADS)]
        ),
    }


def _after_a_run(device: DeviceUnderTest) -> Predictor:
    predictor = device.predictor(device.model)
    predictor.run({"x": image(0)})
    return predictor


def _clones(device: DeviceUnderTest, predictor: Predictor) -> Result:
    return _run_in_threads(device, [predictor.clone() for _ in range(THREADS)])


def _run_in_threads(device: DeviceUnderTest, predictors: list[Predictor]) -> Result:
    with ThreadPoolExecutor(len(predictors)) as pool:
        for problem in pool.map(partial(_runs, device), range(len(predictors)), predictors):
            if problem:
                return "wrong", problem
    return PASSED


def _runs(device: DeviceUnderTest, thread: int, predictor: Predictor) -> str:
    for run in range(RUNS):
        x = {"x": image(RUNS * thread + run)}
        problem = device.differences(predictor.run(x), device.on_host(device.model, x))
        if problem:
            return f"thread {thread + 1}, run {run + 1}: {problem}"
    return ""
