"""Starts of predictors that share one cache, and the comparison of two predictors."""

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
from tests.support.small_convnet import convnet

IMAGE: Array = np.random.default_rng(0).standard_normal((2, 3, 20, 20)).astype(np.float32)


class Starts:
    """Creates predictors with one cache, and counts how often a model was parsed and optimised."""

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache = cache
        self.optimised = 0
        self.parsed = 0
        self._is_counting = False

        def counted_optimize(*arguments: Any, **keywords: Any) -> Any:
            self.optimised += self._is_counting
            return optimize(*arguments, **keywords)

        def counted_load(*arguments: Any) -> Program:
            self.parsed += self._is_counting
            return load_program(*arguments)

        monkeypatch.setattr(build, "optimize", counted_optimize)
        monkeypatch.setattr(build, "load_program", counted_load)

    def __call__(self, model: Path | None = None, **options: Any) -> lite.Predictor:
        self._is_counting = True
        try:
            return lite.create_predictor(lite.Config(model, cache_dir=self.cache, **options))
        finally:
            self._is_counting = False

    def plans(self) -> list[Entry]:
        entries = CacheDirectory(self.cache / PLANS).entries(check=True)
        return [entry for entry in entries if entry.key is None or entry.key.kind == plan_cache.PLAN_KIND]


def assert_alike(first: lite.Predictor, second: lite.Predictor, *inputs: Array) -> None:
    """The two predictors have equal inputs, outputs and arenas, and the same results, bit by bit."""
    assert (first.input_names, first.output_names) == (second.input_names, second.output_names)
    for name in first.input_names:
        handle, other = first.get_input(name), second.get_input(name)
        assert (handle.shape, handle.dtype) == (other.shape, other.dtype)
    expected, results = first.run(list(inputs)), second.run(list(inputs))
    for name, array in expected.items():
        np.testing.assert_array_equal(results[name], array)
    assert second.memory().arenas == first.memory().arenas


def change_weights(model: Path) -> None:
    """Save the model with another weight."""
    program = convnet()
    program.weights["w3"].array = program.weights["w3"].array + 1
    lite.save_program(program, model)
