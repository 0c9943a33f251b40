"""Functions of each element against their definitions in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, bind_unprepared, floats, run_compiled

FUNCTIONS: dict[str, tuple[float, Callable[[Any], Array]]] = {
    "erf": (1.0, np.vectorize(math.erf)),
    "exp": (1.5, np.exp),
    "logsigmoid": (3.0, lambda v: -np.logaddexp(0, -v)),
    "mish": (5.0, lambda v: v * np.tanh(np.logaddexp(0, v))),
    "softplus": (3.0, lambda v: np.logaddexp(0, v)),
    "softsign": (2.0, lambda v: v / (1 + np.abs(v))),
}
"""The error that is allowed, in units in the last place, and the function."""

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-40, 88.8, -88.8], np.float32)


EXACT: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "reciprocal": np.reciprocal,
    "rsqrt": lambda v: np.reciprocal(np.sqrt(v)),
    "sqrt": np.sqrt,
    "square": np.square,
}
"""Functions whose steps are exact or rounded once, in float32."""


@pytest.mark.parametrize("op", EXACT)
@pytest.mark.parametrize("count", [3, 200])
def test_exact_functions_equal_numpy(op: str, count: int) -> None:
    x = np.concatenate([SPECIAL, 3 * floats(2, count)])
    (result,) = run_compiled(op, {"X": x}, {})
    with np.errstate(all="ignore"):
        expected = EXACT[op](x)
    np.testing.assert_array_equal(result, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("op", FUNCTIONS)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 7, 11), (2, 200)])
def test_shapes(op: str, shape: tuple[int, ...]) -> None:
    x = np.asarray(3 * floats(2, *shape), np.float32)
    (result,) = run_compiled(op, {"X": x}, {})
    np.testing.assert_allclose(result, FUNCTIONS[op][1](x.astype(np.float64)) if x.size else x, rtol=1e-6)


@pytest.mark.parametrize("op", FUNCTIONS)
def test_errors_are_a_few_units_in_the_last_place(op: str) -> None:
    allowed, function = FUNCTIONS[op]
    sizes = np.logspace(-20, 1.3, 40_000)
    x = np.concatenate([sizes, -sizes]).astype(np.float32)
    exact = function(x.astype(np.float64))

    result = bind(op, {"X": x}, {})()

    unit = np.spacing(np.maximum(np.abs(exact), np.finfo(np.float32).tiny).astype(np.float32))
    assert (np.abs(result - exact) / unit).max() <= allowed


@pytest.mark.parametrize("op", FUNCTIONS)
def test_special_numbers(op: str) -> None:
    (result,) = run_compiled(op, {"X": SPECIAL}, {})
    with np.errstate(all="ignore"):
        expected = bind_unprepared(op, {"X": SPECIAL}, {})()
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    # e^-88.8 is not a normal number: the loops take 0.
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-36)


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("softplus", {"beta": 2.5, "threshold": 3.0}),
        ("softplus", {"beta": -1.0}),
        ("mish", {"threshold": 1.0}),
    ],
)
def test_parameters(op: str, attrs: dict[str, float]) -> None:
    run_compiled(op, {"X": 4 * floats(3, 5, 300)}, attrs)


@pytest.mark.parametrize("threshold", [1.0, 0.0, -0.5])
def test_thresholded_relu(threshold: float) -> None:
    x = np.concatenate([SPECIAL, np.array([1.0, -0.5], np.float32), floats(4, 200)])
    (result,) = run_compiled("thresholded_relu", {"X": x}, {"threshold": threshold})
    expected = np.where(x <= threshold, np.float32(0), x)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result[x <= threshold]), False)
