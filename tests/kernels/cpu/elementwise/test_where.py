"""where against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run_compiled

SHAPES = [
    ((40, 70), (40, 70), (40, 70)),
    ((1, 1, 33, 70), (3, 1, 33, 70), (1,)),
    ((70,), (), (50, 70)),
    ((5, 1, 70), (5, 9, 70), (9, 70)),
    ((16,), (300, 16), (300, 1)),
]


@pytest.mark.parametrize(("condition", "x", "y"), SHAPES)
def test_broadcast(condition: tuple[int, ...], x: tuple[int, ...], y: tuple[int, ...]) -> None:
    holds = floats(1, *condition) > 0
    then, other = np.asarray(floats(2, *x)), np.asarray(floats(3, *y))
    then.reshape(-1)[:1], other.reshape(-1)[:1] = np.nan, -np.inf
    [result] = run_compiled("where", {"X": then, "Condition": holds, "Y": other}, {})
    np.testing.assert_array_equal(result, np.where(holds, then, other))


def test_the_host_selects_rows() -> None:
    holds, x = floats(1, 60, 1) > 0, floats(2, 60, 70)
    rows = bind("where", {"X": x, "Condition": holds, "Y": -x}, {})
    assert not rows.is_compiled
    np.testing.assert_array_equal(rows(), np.where(holds, x, -x))


def test_few_elements() -> None:
    holds, x = np.array([True, False]), floats(2, 3, 2)
    few = bind("where", {"X": x, "Condition": holds, "Y": -x}, {})
    assert few.is_compiled
    np.testing.assert_array_equal(few(), np.where(holds, x, -x))
