"""Places on a layer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from lite.passes.debug.alignment import align, first_places, settle
from lite.passes.debug.cells import Cells, Edge, Vertex


def test_wishes_that_can_be_met_are() -> None:
    assert settle([0, 100, 300], [1, 1, 1], [10, 20, 30], 5) == pytest.approx([0, 100, 300])


def test_cells_that_wish_for_one_place_share_it_by_weight() -> None:
    assert settle([50, 50], [1, 1], [10, 10], 0) == pytest.approx([45, 55])
    assert settle([50, 50], [4, 1], [10, 10], 0) == pytest.approx([48, 58])
    assert settle([], [], [], 5) == []


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.5, 4), st.floats(1, 20)), min_size=1, max_size=5))
def test_the_least_squares(cells: list[tuple[float, float, float]]) -> None:
    wishes, weights, widths = (np.array(column) for column in zip(*cells, strict=True))

    def cost(x: np.ndarray) -> float:
        return float(np.sum(weights * (x - wishes) ** 2))

    apart = (widths[1:] + widths[:-1]) / 2 + 3
    found = np.array(settle(list(wishes), list(weights), list(widths), 3))
    assert np.all(np.diff(found) >= apart - 1e-6)
    start = np.concatenate([[0.0], np.cumsum(apart)])
    constraint = {"type": "ineq", "fun": lambda x: np.diff(x) - apart}
    best = minimize(cost, start, constraints=[constraint] if len(wishes) > 1 else [], method="SLSQP")
    assert cost(found) <= cost(best.x) + 1e-3 * max(1.0, cost(best.x))


def test_fixed_cells_stay_and_loose_ones_come() -> None:
    cells = Cells([Vertex(10, 10), Vertex(10, 10), Vertex(10, 10)], [Edge(0, 2, "a"), Edge(1, 2, "b")])
    layers = cells.layers
    places = first_places(cells, layers, 5)
    assert places == [-10, 5, -2.5]
    places[1] = 500.0
    align(cells, layers, places, 5, frozenset({0, 2}))
    assert places == pytest.approx([-10, 5, -2.5], abs=1e-2)
