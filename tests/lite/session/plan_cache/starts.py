"""Predictors of one cache, and what a second one must have of the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.cache import PLANS, CacheDirectory, Entry, plan_cache
from lite.io.load import load_program
from lite.ir.program import Program
from lite.ir.types import Array
from lite.session import build
from lite.session.build import optimize
from tests.lite.small_convnet import convnet

IMAGE: Array = np.random.default_rng(0).standard_normal((2, 3, 20, 20)).astype(np.float32)


class Starts:
    """Creates predictors with one cache, and counts how many it parsed and optimised."""

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache = cache
        self.optimised = 0
        self.parsed = 0
        self._counts = False

        def counted(*arguments: Any, **keywords: Any) -> Any:
            self.optimised += self._counts
            return optimize(*arguments, **keywords)

        def parsed(*arguments: Any) -> Program:
            self.parsed += self._counts
            return load_program(*arguments)

        monkeypatch.setattr(build, "optimize", counted)
        monkeypatch.setattr(build, "load_program", parsed)

    def __call__(self, model: Path | None = None, **options: Any) -> lite.Predictor:
        self._counts = True
        try:
            return lite.create_predictor(lite.Config(model, cache_dir=self.cache, **options))
        finally:
            self._counts = False

    def plans(self) -> list[Entry]:
        kept = CacheDirectory(self.cache / PLANS).entries(check=True)
        return [entry for entry in kept if entry.key is None or entry.key.kind == plan_cache.PLAN_KIND]


def assert_alike(first: lite.Predictor, second: lite.Predictor, *inputs: Array) -> None:
    """The same results, bit by bit, and all else that a predictor says."""
    assert (first.input_names, first.output_names) == (second.input_names, second.output_names)
    for name in first.input_names:
        mine, theirs = first.get_input(name), second.get_input(name)
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
    wanted, found = first.run(list(inputs)), second.run(list(inputs))
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
    assert second.memory().arenas == first.memory().arenas


def other_weights(model: Path) -> None:
    """Save the model with a weight changed."""
    program = convnet()
    program.weights["w3"].array = program.weights["w3"].array + 1
    lite.save_program(program, model)
