"""Section ``faults``: the device fails at each point; the host computes the result, or an error is raised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from lite.cache import CacheDirectory
from lite.errors import CompileError, ExecutionError
from lite.tools.conformance.device_cache import NOT_STORED
from lite.tools.conformance.device_under_test import (
    PASSED,
    Check,
    DeviceUnderTest,
    Result,
    captured_warnings,
)
from lite.tools.conformance.fault_injection import Fault, inject
from lite.tools.conformance.probe_models import image

RUNS = 4
MOST_COMPILES = 40
"""The most compilations of a region that fails, in parts, to find the op that causes the failure."""

FAULTS: Mapping[str, Fault] = {
    "available() returns a reason": Fault(unavailable=True),
    "available() raises": Fault(available=True),
    "why_not_region() returns a reason": Fault(refuses_region=True),
    "compile() raises": Fault(compile=True),
    "compile() raises and names an op": Fault(names_op=True),
    "the first run() raises": Fault(run=1),
    "the third run() raises": Fault(run=3),
    "run() returns too few results": Fault(missing_result=True),
}

FAULTS_OF_A_STORED_MODEL: Mapping[str, Fault] = {
    "load() raises": Fault(load=True),
    "the first run() of a loaded model raises": Fault(run=1),
    "the third run() of a loaded model raises": Fault(run=3),
}


def checks(device: DeviceUnderTest, folder: Path) -> Mapping[str, Check]:
    """The checks of the section."""
    named: dict[str, Check] = {}
    for name, fault in FAULTS.items():
        named[f"{name}: the host computes the result"] = partial(_host_result, device, fault, None)
        named[f'{name}: an error with fallback="error"'] = partial(_raised_error, device, fault)
    for number, (name, fault) in enumerate(FAULTS_OF_A_STORED_MODEL.items()):
        named[f"{name}: the host computes the result"] = partial(
            _host_result, device, fault, folder / f"stored_{number}"
        )
    named["serialize() raises: the device computes the result"] = partial(
        _not_stored, device, folder / "not_stored"
    )
    return named


def _host_result(device: DeviceUnderTest, fault: Fault, cache: Path | None) -> Result:
    """The host's result, one warning per region, and no further attempts on the device."""
    if cache is not None:
        device.predictor(device.model, cache_dir=cache).prepare({})
        if not CacheDirectory(cache).entries():
            return "declined", NOT_STORED
    with captured_warnings() as warnings, inject(device.name, replace(fault)) as injected:
        predictor = device.predictor(device.model, fallback="warn", cache_dir=cache)
        for seed in range(RUNS):
            x = {"x": image(seed)}
            problem = device.differences(predictor.run(x), device.on_host(device.model, x))
            if problem:
                return "wrong", f"run {seed + 1}: {problem}"
    regions = max(1, len(predictor.report().regions))
    if not 1 <= len(warnings) <= regions:
        return "wrong", f"expected 1 warning, got {len(warnings)}: {'; '.join(warnings) or 'none'}"
    if injected.compiled > MOST_COMPILES * regions:
        return "wrong", f"the device compiled the region {injected.compiled} times"
    if injected.run and injected.runs - injected.run >= regions:
        return "wrong", f"litebridge ran the device {injected.runs - injected.run} times after its failure"
    return PASSED


def _raised_error(device: DeviceUnderTest, fault: Fault) -> Result:
    with captured_warnings(), inject(device.name, replace(fault)):
        try:
            predictor = device.predictor(device.model)
            for seed in range(RUNS):
                predictor.run({"x": image(seed)})
        except (CompileError, ExecutionError) as error:
            named = device.name in str(error)
            return PASSED if named else ("wrong", f"the error does not name the device: {error}")
    return "wrong", f"expected an error, but {RUNS} runs succeeded"


def _not_stored(device: DeviceUnderTest, cache: Path) -> Result:
    x = {"x": image(1)}
    with captured_warnings() as warnings, inject(device.name, Fault(serialize=True)):
        predictor = device.predictor(device.model, cache_dir=cache)
        problem = device.differences(predictor.run(x), device.on_host(device.model, x))
    if problem:
        return "wrong", problem
    regions = len(predictor.report().regions)
    if 1 <= len(warnings) <= regions:
        return PASSED
    return "wrong", f"expected 1 warning, got {len(warnings)}: {'; '.join(warnings) or 'none'}"
