"""The time of each layer out of profiles of two models, and the order in which layers go back to float."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.quantization.gains import Part, Row, attributed, gains
from lite.quantization.layers import Layer
from lite.quantization.plan import Choice
from lite.quantization.recipe import Recipe
from lite.quantization.sensitivity import choose

FLOAT = parse_graph("""
graph main(%x: float32[2,4]) {
  %w = const float32[4,4] random(1)
  %v = const float32[4,4] random(2)
  %a = matmul_v2(X=%x, Y=%w) : float32[2,4]
  %b = relu(X=%a) : float32[2,4]
  %c = matmul_v2(X=%b, Y=%v) : float32[2,4]
  %y = tanh(X=%c) : float32[2,4]
  return %y
}
""")


def test_a_fused_op_has_the_layers_before_its_output() -> None:
    rows = [Row(("x",), ("b",), 5.0), Row(("b",), ("c",), 3.0), Row(("c",), ("y",), 1.0)]

    assert attributed(FLOAT, rows, ["a", "c"]) == [Part(frozenset("a"), 5.0), Part(frozenset("c"), 3.0)]


def test_quantisation_belongs_to_the_op_that_reads_it() -> None:
    rows = [Row(("x",), ("codes",), 2.0), Row(("codes",), ("b",), 5.0), Row(("b",), ("y",), 4.0)]

    assert attributed(FLOAT, rows, ["a", "c"]) == [Part(frozenset("a"), 7.0), Part(frozenset("c"), 4.0)]


def test_layers_of_one_region_share_its_gain_by_their_work() -> None:
    exact = [Part(frozenset("a"), 10.0), Part(frozenset("c"), 20.0), Part(frozenset("d"), 5.0)]
    quantized = [Part(frozenset("ac"), 14.0), Part(frozenset("d"), 6.0)]

    assert gains(exact, quantized, {"a": 100, "c": 300}) == {"a": 4.0, "c": 12.0, "d": -1.0}
    assert gains(exact, quantized, {}) == {"a": 8.0, "c": 8.0, "d": -1.0}


class Runs:
    """A model whose error is the sum of those of its quantised layers."""

    def __init__(self, drops: Mapping[str, float]) -> None:
        self._drops = drops
        self.exact: list[Mapping[str, Array]] = [{}]

    def outputs(self, recipe: Recipe) -> list[Mapping[str, Array]]:
        return [{"drop": np.array(sum(self._drops[name] for name in recipe.layers))}]


@pytest.mark.parametrize(
    ("max_drop", "kept"),
    [(10.0, []), (7.0, ["slow"]), (6.5, ["slow", "small gain"]), (2.5, ["slow", "small gain", "large gain"])],
)
def test_layers_that_cost_most_for_the_time_they_gain_stay_in_float(max_drop: float, kept: list[str]) -> None:
    drops = {"large gain": 4.0, "small gain": 1.0, "slow": 2.0, "cheap": 2.0}
    measured = {"large gain": 8.0, "small gain": 1.0, "slow": -1.0, "cheap": 100.0}
    choices = [Choice(Layer(name, "conv2d", ("x",), "w"), True) for name in drops]

    chosen = choose(
        Runs(drops),
        choices,
        Recipe((), "int8"),
        lambda _, got: float(got["drop"]),
        max_drop,
        measured,
        lambda *_: None,
    )

    assert sorted(each.layer.name for each in chosen if not each.is_quantized) == sorted(kept)
    assert {each.layer.name: each.gain for each in chosen} == measured
