"""Clones in several threads, each with inputs of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from lite.session.predictor import Predictor
from lite.tools.conformance.probe import image
from lite.tools.conformance.workbench import PASSED, Answer, Workbench, differences

THREADS = 4
RUNS = 5


def questions(bench: Workbench, _: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``threads``."""
    return {
        "clones that all ask for the model at once": lambda: _clones(bench, bench.predictor(bench.model)),
        "clones of a predictor that has run": lambda: _clones(bench, _after_a_run(bench)),
        "predictors of their own": lambda: _together(
            bench, [bench.predictor(bench.model) for _ in range(THREADS)]
        ),
    }


def _after_a_run(bench: Workbench) -> Predictor:
    predictor = bench.predictor(bench.model)
    predictor.run({"x": image(0)})
    return predictor


def _clones(bench: Workbench, predictor: Predictor) -> Answer:
    return _together(bench, [predictor.clone() for _ in range(THREADS)])


def _together(bench: Workbench, predictors: list[Predictor]) -> Answer:
    with ThreadPoolExecutor(len(predictors)) as pool:
        for problem in pool.map(partial(_runs, bench), range(len(predictors)), predictors):
            if problem:
                return "wrong", problem
    return PASSED


def _runs(bench: Workbench, thread: int, predictor: Predictor) -> str:
    for run in range(RUNS):
        x = {"x": image(RUNS * thread + run)}
        problem = differences(predictor.run(x), bench.on_host(bench.model, x))
        if problem:
            return f"thread {thread + 1}, run {run + 1}: {problem}"
    return ""
