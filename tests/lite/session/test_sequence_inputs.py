"""Inputs that are tensor arrays: lists of arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import lite
from lite.errors import InputError

ITEMS = [np.ones((2, 2), np.float32), np.zeros((1, 2), np.float32)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 18]> g (seq(float) x, float[1, 2] z)
        => (seq(float) y, float[n, 2] all)
        { y = SequenceInsert (x, z) all = ConcatFromSequence <axis = 0> (y) }"""
    )
    onnx.save(made, tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


@pytest.mark.parametrize("cached", [False, True])
def test_a_list_of_arrays_is_an_input_and_stays_as_it_is(path: Path, tmp_path: Path, cached: bool) -> None:
    z = np.full((1, 2), 5, np.float32)
    folder = tmp_path / "cache" if cached else None
    for items in (ITEMS, ITEMS[:1], ITEMS):
        given = list(items)
        predictor = lite.create_predictor(lite.Config(path, cache_dir=folder))

        outputs: dict[str, Any] = predictor.run({"x": given, "z": z})  # type: ignore[dict-item]

        assert len(given) == len(items)
        assert len(outputs["y"]) == len(items) + 1
        np.testing.assert_array_equal(outputs["all"], np.concatenate([*items, z]))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ones(2, np.float32), "input 'x': expected a list of arrays, got a ndarray"),
        ([np.ones(2)], "input 'x\\[…\\]': expected dtype float32, got float64"),
    ],
)
def test_other_values_are_refused(path: Path, value: Any, message: str) -> None:
    predictor = lite.create_predictor(lite.Config(path))
    with pytest.raises(InputError, match=message):
        predictor.run({"x": value, "z": ITEMS[1]})
