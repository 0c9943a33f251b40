"""Measured ranges are those of the values, and a recipe of them is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import ConfigError, InputError
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.quantization.ranges import measure_ranges
from lite.subgraph.recipe import Recipe


@pytest.fixture
def model(tmp_path: Path) -> Path:
    text = """graph main(%x: float32[2]) {
      %a = scale(X=%x) {scale=2.0} : float32[2]
      %y = relu(X=%a) : float32[2] return %y }"""
    lite.save_program(lower_graph(parse_graph(text)), tmp_path / "model")
    return tmp_path / "model"


SAMPLES = [np.array(numbers, np.float32) for numbers in ([-1, 2], [0, 3], [-8, 8])]


def test_the_least_and_the_greatest_number(model: Path, tmp_path: Path) -> None:
    ranges = measure_ranges(model, [[x] for x in SAMPLES], tmp_path / "r.json", samples=2)

    assert ranges == {"x": (-1.0, 3.0), "a": (-2.0, 6.0), "y": (0.0, 6.0)}
    assert dict(Recipe.read(tmp_path / "r.json").ranges) == ranges


def test_bad_data_are_errors(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="NaN"):
        measure_ranges(model, [[np.array([np.nan, 1], np.float32)]], tmp_path / "r.json")
    with pytest.raises(InputError, match="sample"):
        measure_ranges(model, [], tmp_path / "r.json")
    with pytest.raises(ConfigError, match="method: expected one of"):
        measure_ranges(model, [[SAMPLES[0]]], tmp_path / "r.json", method="best")
