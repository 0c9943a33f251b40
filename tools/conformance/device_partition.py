"""Section ``partition``: the scenarios with the device's limits, and as models that run on the device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from lite.tools.conformance.device_under_test import (
    NO_PROBE,
    Check,
    DeviceUnderTest,
    Result,
    result_of,
)
from lite.tools.conformance.partition import Scenario, check_partition, read_scenarios
from lite.tools.conformance.probe_models import ProbeOp, image, save_probe


def checks(device: DeviceUnderTest, folder: Path) -> Mapping[str, Check]:
    """A check per scenario, in which the device takes the place of the first device."""
    return {
        scenario.name: partial(_scenario, device, scenario, folder / f"scenario_{number}")
        for number, scenario in enumerate(read_scenarios())
    }


def _scenario(device: DeviceUnderTest, scenario: Scenario, folder: Path) -> Result:
    limits = device.open().limits
    (verdict,) = check_partition([scenario], dict.fromkeys(scenario.devices, limits))
    if not verdict.ok:
        return "wrong", "; ".join(verdict.wrong)
    if not device.probes:
        return "declined", NO_PROBE
    ops = [
        ProbeOp(f"v_{op.name}", [f"v_{name}" for name in op.inputs], scenario.devices[0] in op.devices)
        for op in scenario.ops
    ]
    read = {source for op in ops for source in op.inputs}
    outputs = [op.name for op in ops if op.name not in read]
    model = save_probe(folder, ops, device.probes, outputs)
    host = [f"*::{op.name} -> host" for op in ops if not op.on_device]
    inputs = sorted(read - {op.name for op in ops})
    x = {name: image(seed) for seed, name in enumerate(inputs)}
    settings = {"partition_rules": "\n".join(host) + "\n"} if host else {}
    predictor = device.predictor(model, **settings)
    problem = device.differences(predictor.run(x), device.on_host(model, x))
    placed = {op.name: op for op in predictor.report().ops}
    supported = [placed[op.name] for op in ops if op.on_device and op.name in placed]
    on_host = [op for op in supported if op.placed_on != device.name]
    if not problem and on_host:
        return "declined", f"{on_host[0].type} stays on the host: {on_host[0].why_not.get(device.name)}"
    return result_of(problem)
