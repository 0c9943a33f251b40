"""Recipes: ranges of values from JSON, and the regions that they quantise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import ConfigError
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.subgraph.recipe import Recipe, int8_quant
from tests.support.fake_device import fake_device

TEXT = """
graph main(%x: float32[2,3]) {
  %a = sigmoid(X=%x) : float32[2,3]
  %b = scale(X=%a) {scale=3.0} : float32[2,3]
  %y = tanh(X=%b) : float32[2,3]
  return %y
}
"""
RANGES = {"x": [-3.0, 3.0], "a": [0.0, 1.0], "b": [0.0, 3.0]}
X = np.linspace(-3, 3, 6, dtype=np.float32).reshape(2, 3)


def recipe(folder: Path, content: object) -> Path:
    path = folder / "recipe.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(lower_graph(parse_graph(TEXT)), tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize(
    ("low", "high", "scale", "zero"),
    [(-1.0, 1.55, 0.01, -28), (0.0, 2.55, 0.01, -128), (0.5, 2.55, 0.01, -128), (-2.55, -1.0, 0.01, 127)],
)
def test_zero_is_exact(low: float, high: float, scale: float, zero: int) -> None:
    quant = int8_quant(low, high)
    assert quant.scale[0] == pytest.approx(scale)
    assert (quant.zero_point, quant.axis, str(quant.storage)) == ((zero,), -1, "int8")


def test_a_value_that_is_always_0_gets_a_scale() -> None:
    assert int8_quant(0.0, 0.0) == int8_quant(0.0, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "it cannot be read as JSON"),
        ({"range": {}}, 'expected {"ranges": {name: \\[low, high\\]}}'),
        ({"ranges": {"x": [1]}}, "'x': expected \\[low, high\\], got \\[1\\]"),
        ({"ranges": {"x": [1, True]}}, "'x': expected \\[low, high\\]"),
        ({"ranges": {"x": [2, 1]}}, "'x': expected finite numbers in order, got \\[2.0, 1.0\\]"),
        ('{"ranges": {"x": [0, NaN]}}', "expected finite numbers in order"),
    ],
)
def test_other_content_is_an_error(content: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        Recipe.read(recipe(tmp_path, content))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Recipe.read(tmp_path / "none.json")


def test_only_regions_are_quantised(model: Path, tmp_path: Path) -> None:
    path = recipe(tmp_path, {"ranges": RANGES})
    with fake_device("sigmoid", "scale", quantized_values=True) as faults:
        config = lite.Config(model, devices=["fake"], recipe=path, fallback="error", precision="strict")
        predictor = lite.create_predictor(config)
        [result] = predictor.run([X]).values()

    def rounded(array: object, name: str) -> object:
        quant = int8_quant(*RANGES[name])
        scale, zero = np.float32(quant.scale[0]), quant.zero_point[0]
        stored = np.clip(np.rint(np.asarray(array, np.float32) / scale) + zero, -128, 127)
        return ((stored - zero) * scale).astype(np.float32)

    a = rounded(1 / (1 + np.exp(-np.asarray(rounded(X, "x")))), "a")
    b = rounded(np.asarray(a) * np.float32(3), "b")
    assert faults.runs == 1
    np.testing.assert_allclose(result, np.tanh(np.asarray(b)), rtol=1e-6)


def test_the_host_computes_in_float_where_no_device_does(model: Path, tmp_path: Path) -> None:
    [expected] = lite.create_predictor(lite.Config(model)).run([X]).values()
    path = recipe(tmp_path, {"ranges": RANGES})
    with fake_device("exp", quantized_values=True):
        config = lite.Config(model, devices=["fake"], recipe=path)
        [result] = lite.create_predictor(config).run([X]).values()

    np.testing.assert_array_equal(result, expected)


def test_another_recipe_makes_another_plan(model: Path, tmp_path: Path) -> None:
    results = []
    with fake_device("sigmoid", "scale", quantized_values=True) as faults:
        for most in (3.0, 2.0, 3.0):
            path = recipe(tmp_path, {"ranges": {**RANGES, "b": [0.0, most]}})
            config = lite.Config(model, devices=["fake"], recipe=path, cache_dir=tmp_path / "cache")
            results.append(lite.create_predictor(config).run([X])["y"])
    assert faults.compiled == 2
    assert not np.array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
