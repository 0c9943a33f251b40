"""A device that fails, at each point, the first time and later: the host answers, or an error is raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from lite.cache import CacheDirectory
from lite.errors import CompileError, ExecutionError
from lite.tools.conformance.device_cache import KEEPS_NONE
from lite.tools.conformance.failing import Fault, failing
from lite.tools.conformance.probe import image
from lite.tools.conformance.quiet import quiet
from lite.tools.conformance.workbench import PASSED, Answer, Workbench, differences

RUNS = 4
MOST_COMPILES = 40
"""How often a region that fails may be compiled, in parts, to find the op at fault."""

FAULTS: Mapping[str, Fault] = {
    "it says that it is not there": Fault(says_no=True),
    "asking whether it is there throws": Fault(available=True),
    "the region is refused": Fault(refuses_region=True),
    "compiling throws": Fault(compile=True),
    "compiling names an op": Fault(names_op=True),
    "the first run throws": Fault(run=1),
    "the third run throws": Fault(run=3),
    "a result is missing": Fault(missing_result=True),
}

AFTER_A_HIT: Mapping[str, Fault] = {
    "loading a kept model throws": Fault(load=True),
    "the first run of a loaded model throws": Fault(run=1),
    "the third run of a loaded model throws": Fault(run=3),
}


def questions(bench: Workbench, folder: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``faults``."""
    asked: dict[str, Callable[[], Answer]] = {}
    for name, fault in FAULTS.items():
        asked[f"{name}: the host answers"] = partial(_answered, bench, fault, None)
        asked[f"{name}: strictly an error"] = partial(_raised, bench, fault)
    for number, (name, fault) in enumerate(AFTER_A_HIT.items()):
        asked[f"{name}: the host answers"] = partial(_answered, bench, fault, folder / f"hit_{number}")
    asked["serialising throws: the device runs"] = partial(_not_kept, bench, folder / "not_kept")
    return asked


def _answered(bench: Workbench, fault: Fault, cache: Path | None) -> Answer:
    """The host's numbers, with one warning for a region, and without asking the device again and again."""
    if cache is not None:
        bench.predictor(bench.model, cache_dir=cache).prepare({})
        if not CacheDirectory(cache).entries():
            return "declined", KEEPS_NONE
    with quiet() as heard, failing(bench.name, replace(fault)) as found:
        predictor = bench.predictor(bench.model, fallback="warn", cache_dir=cache)
        for seed in range(RUNS):
            x = {"x": image(seed)}
            problem = differences(predictor.run(x), bench.on_host(bench.model, x))
            if problem:
                return "wrong", f"run {seed + 1}: {problem}"
    regions = max(1, len(predictor.report().regions))
    if not 1 <= len(heard) <= regions:
        return "wrong", f"{len(heard)} warnings, expected one: {'; '.join(heard) or 'none'}"
    if found.compiled > MOST_COMPILES * regions:
        return "wrong", f"the region was compiled {found.compiled} times"
    if found.run and found.runs - found.run >= regions:
        return "wrong", f"the device was run {found.runs - found.run} times after it failed"
    return PASSED


def _raised(bench: Workbench, fault: Fault) -> Answer:
    with quiet(), failing(bench.name, replace(fault)):
        try:
            predictor = bench.predictor(bench.model)
            for seed in range(RUNS):
                predictor.run({"x": image(seed)})
        except (CompileError, ExecutionError) as error:
            named = bench.name in str(error)
            return PASSED if named else ("wrong", f"the error does not name the device: {error}")
    return "wrong", f"{RUNS} runs, and no error"


def _not_kept(bench: Workbench, cache: Path) -> Answer:
    x = {"x": image(1)}
    with quiet() as heard, failing(bench.name, Fault(serialize=True)):
        predictor = bench.predictor(bench.model, cache_dir=cache)
        problem = differences(predictor.run(x), bench.on_host(bench.model, x))
    if problem:
        return "wrong", problem
    regions = len(predictor.report().regions)
    return PASSED if 1 <= len(heard) <= regions else ("wrong", f"{len(heard)} warnings, expected one")
