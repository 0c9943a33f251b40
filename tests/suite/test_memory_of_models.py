"""Arenas of whole models are close to the largest live set, and no strategy changes a result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import lite
from lite.ir.types import Array
from lite.memory import ALIGNMENT, STRATEGIES, largest_live_set
from lite.runtime.observe.memory_use import Arena
from lite.tools.memory_plan import requests_of
from tests.support.ocr_models import Twin, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model

LIMITS = {"compact": 1.05, "best_fit": 1.15}
"""Most bytes against the largest live set."""


def check_arenas(arenas: Sequence[Arena]) -> None:
    """Assert that live buffers do not overlap and that the named strategies are near the optimum."""
    assert arenas
    for arena in arenas:
        requests = requests_of(arena)
        for name, limit in LIMITS.items():
            assert STRATEGIES[name](requests)[1] <= limit * largest_live_set(requests)[0]
        for n, a in enumerate(arena.buffers):
            assert a.names
            assert a.offset % ALIGNMENT == 0
            assert a.offset + a.size <= arena.size
            for b in arena.buffers[:n]:
                apart = a.last < b.first or b.last < a.first
                assert apart or a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def runs(path: Path, inputs: dict[str, Array]) -> dict[str, dict[str, Array]]:
    """The outputs of a second run with each strategy; checks the arenas."""
    outputs_by_strategy = {}
    for name in STRATEGIES:
        predictor = lite.create_predictor(lite.Config(path, memory=name))
        predictor.run({key: np.flip(array) for key, array in inputs.items()})
        outputs_by_strategy[name] = predictor.run(inputs)
        use = predictor.memory()
        assert use.strategy == name
        check_arenas(use.arenas)
    return outputs_by_strategy


@each_model
def test_reference_models_give_equal_results_with_every_strategy(model: ReferenceModel) -> None:
    for outputs in runs(model.path, model.inputs).values():
        assert difference(outputs, model.outputs) == ""


@each_twin
def test_ocr_models_give_equal_results_with_every_strategy(twin: Twin) -> None:
    outputs_by_strategy = runs(twin.path("paddle"), {"x": twin.image(0)})
    for outputs in outputs_by_strategy.values():
        assert difference(outputs, outputs_by_strategy["plain"], 0) == ""
