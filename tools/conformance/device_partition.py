"""The partition scenarios with a device: as the planner sees its limits, and as models that run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from lite.tools.conformance.partition import Scenario, check_partition, read_scenarios
from lite.tools.conformance.probe import ProbeOp, image, save_probe
from lite.tools.conformance.workbench import NOTHING_TAKEN, Answer, Workbench, differences, judged


def questions(bench: Workbench, folder: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``partition``: each scenario, in which the device stands for the first of its devices."""
    return {
        scenario.name: partial(_scenario, bench, scenario, folder / f"scenario_{number}")
        for number, scenario in enumerate(read_scenarios())
    }


def _scenario(bench: Workbench, scenario: Scenario, folder: Path) -> Answer:
    limits = bench.open().limits
    (verdict,) = check_partition([scenario], dict.fromkeys(scenario.devices, limits))
    if not verdict.ok:
        return "wrong", "; ".join(verdict.wrong)
    if not bench.probes:
        return "declined", NOTHING_TAKEN
    ops = [
        ProbeOp(f"v_{op.name}", [f"v_{name}" for name in op.inputs], scenario.devices[0] in op.devices)
        for op in scenario.ops
    ]
    read = {source for op in ops for source in op.inputs}
    outputs = [op.name for op in ops if op.name not in read]
    model = save_probe(folder, ops, bench.probes, outputs)
    host = [f"*::{op.name} -> host" for op in ops if not op.on_device]
    inputs = sorted(read - {op.name for op in ops})
    x = {name: image(seed) for seed, name in enumerate(inputs)}
    settings = {"partition_rules": "\n".join(host) + "\n"} if host else {}
    predictor = bench.predictor(model, **settings)
    problem = differences(predictor.run(x), bench.on_host(model, x))
    placed = {op.name: op for op in predictor.report().ops}
    wanted = [placed[op.name] for op in ops if op.on_device and op.name in placed]
    lost = [op for op in wanted if op.placed_on != bench.name]
    if not problem and lost:
        return "declined", f"{lost[0].type} stays on the host: {lost[0].why_not.get(bench.name)}"
    return judged(problem)
