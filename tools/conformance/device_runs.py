"""Sections ``runs`` and ``shapes``: inputs, results, clones, and inputs of several sizes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from lite.tools.conformance.compiled_probe import probe_runner
from lite.tools.conformance.device_under_test import (
    PASSED,
    Check,
    DeviceUnderTest,
    Result,
    result_of,
)
from lite.tools.conformance.probe_models import SHAPE, image

BATCHES = (1, 64, 2, 1)
"""The numbers of images of consecutive runs; the many may overwrite what the first model needs again."""


def checks(device: DeviceUnderTest, _: Path) -> Mapping[str, Check]:
    """The checks of the section ``runs``."""
    return {
        "several runs give the right results": lambda: _several(device),
        "a read-only input is accepted": lambda: _one_run(device, _read_only(image(1))),
        "a non-contiguous input is accepted": lambda: _one_run(device, _non_contiguous(image(1))),
        "a run does not modify its inputs": lambda: _input_is_unchanged(device),
        "a run does not overwrite earlier results": lambda: _result_is_unchanged(device),
        "a run fills an output array of the caller": lambda: _output_array(device),
        "a clone gives the right result": lambda: _clone(device),
    }


def shape_checks(device: DeviceUnderTest, _: Path) -> Mapping[str, Check]:
    """The checks of the section ``shapes``."""
    return {
        "one compiled model per shape": lambda: _each_shape(device),
        "one compiled model for all shapes": lambda: _any_shape(device),
        "more shapes than compiled models": lambda: _more_shapes(device),
    }


def _several(device: DeviceUnderTest) -> Result:
    predictor = device.predictor(device.model)
    for seed in range(4):
        x = {"x": image(seed)}
        problem = device.differences(predictor.run(x), device.on_host(device.model, x))
        if problem:
            return "wrong", f"run {seed + 1}: {problem}"
    return PASSED


def _one_run(device: DeviceUnderTest, x: Array) -> Result:
    outputs = device.predictor(device.model).run({"x": x})
    return result_of(device.differences(outputs, device.on_host(device.model, {"x": x})))


def _input_is_unchanged(device: DeviceUnderTest) -> Result:
    x = image(2)
    before = x.copy()
    device.predictor(device.model).run({"x": x})
    return result_of("" if np.array_equal(x, before) else "the run modified its input")


def _result_is_unchanged(device: DeviceUnderTest) -> Result:
    """Runs the compiled model itself, since litebridge copies most results after a run."""
    run = probe_runner(device)
    first = run(image(3))
    before = [array.copy() for array in first]
    run(image(4))
    same = all(map(np.array_equal, first, before))
    return result_of("" if same else "a run overwrote the result of the run before")


def _output_array(device: DeviceUnderTest) -> Result:
    predictor, x = device.predictor(device.model), {"x": image(5)}
    (name,) = predictor.output_names
    output = np.zeros(SHAPE, np.float32)
    results = predictor.run(x, outputs={name: output})
    if results[name] is not output:
        return "wrong", "the result is not the caller's array"
    return result_of(device.differences(results, device.on_host(device.model, x)))


def _clone(device: DeviceUnderTest) -> Result:
    predictor, x = device.predictor(device.model), {"x": image(6)}
    predictor.run({"x": image(7)})
    return result_of(device.differences(predictor.clone().run(x), device.on_host(device.model, x)))


def _each_shape(device: DeviceUnderTest) -> Result:
    return _batches(device, max_signatures=len(BATCHES))


def _any_shape(device: DeviceUnderTest) -> Result:
    if not device.open().dynamic_shapes:
        return "declined", "the device does not support dynamic shapes (Device.dynamic_shapes is False)"
    return _batches(device, max_signatures=1)


def _more_shapes(device: DeviceUnderTest) -> Result:
    return _batches(device, max_signatures=1, fallback="warn")


def _batches(device: DeviceUnderTest, **settings: object) -> Result:
    predictor = device.predictor(device.open_model, **settings)
    for batch in BATCHES:
        x = {"x": image(batch, batch)}
        problem = device.differences(predictor.run(x), device.on_host(device.open_model, x))
        if problem:
            return "wrong", f"with {batch} images: {problem}"
    return PASSED


def _read_only(x: Array) -> Array:
    x.setflags(write=False)
    return x


def _non_contiguous(x: Array) -> Array:
    return np.ascontiguousarray(x.transpose(3, 2, 1, 0)).transpose(3, 2, 1, 0)
