"""Elementwise functions against Python's math module."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

POSITIVE = [0.01, 0.5, 1.0, 2.5, 90.0]
UNIT = [-1.0, -0.5, 0.0, 0.25, 1.0]
REAL = [-4.5, -2.5, -1.0, -0.3, 0.0, 0.5, 1.5, 3.7]

CASES: list[tuple[str, list[float], Callable[[float], float]]] = [
    ("abs", REAL, abs),
    ("acos", UNIT, math.acos),
    ("acosh", [1.0, 1.5, 40.0], math.acosh),
    ("asin", UNIT, math.asin),
    ("asinh", REAL, math.asinh),
    ("atan", REAL, math.atan),
    ("atanh", [-0.9, 0.0, 0.5], math.atanh),
    ("ceil", REAL, math.ceil),
    ("cos", REAL, math.cos),
    ("cosh", REAL, math.cosh),
    ("exp", REAL, math.exp),
    ("expm1", REAL, math.expm1),
    ("floor", REAL, math.floor),
    ("log", POSITIVE, math.log),
    ("log10", POSITIVE, math.log10),
    ("log1p", POSITIVE, math.log1p),
    ("log2", POSITIVE, math.log2),
    ("negative", REAL, lambda x: -x),
    ("reciprocal", POSITIVE, lambda x: 1 / x),
    ("rint", [*REAL, 2.5, 3.5], round),
    ("round", [*REAL, 0.49999997], lambda x: math.copysign(math.floor(abs(x) + 0.5), x)),
    ("rsqrt", POSITIVE, lambda x: x**-0.5),
    ("sign", REAL, lambda x: float((x > 0) - (x < 0))),
    ("sin", REAL, math.sin),
    ("sinh", REAL, math.sinh),
    ("sqrt", POSITIVE, math.sqrt),
    ("square", REAL, lambda x: x * x),
    ("tan", REAL, math.tan),
    ("trunc", REAL, math.trunc),
]


@pytest.mark.parametrize(("name", "points", "function"), CASES, ids=[c[0] for c in CASES])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_functions_agree_with_python(
    name: str, points: list[float], function: Callable[[float], float], dtype: type[np.floating]
) -> None:
    x = np.array(points, dtype).reshape(1, -1)
    tolerance = 4 * float(np.finfo(dtype).eps)

    (got,) = checked(name, {"X": x})

    expected = np.array([[function(v) for v in x.reshape(-1).tolist()]])
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "points", "function"), CASES, ids=[c[0] for c in CASES])
def test_scalars_are_computed(name: str, points: list[float], function: Callable[[float], float]) -> None:
    (got,) = checked(name, {"X": np.array(points[1], np.float32)})

    np.testing.assert_allclose(got, float32(function(points[1])), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("abs", [3, 0, 4]),
        ("ceil", [-3, 0, 4]),
        ("floor", [-3, 0, 4]),
        ("negative", [3, 0, -4]),
        ("round", [-3, 0, 4]),
        ("sign", [-1, 0, 1]),
        ("square", [9, 0, 16]),
        ("trunc", [-3, 0, 4]),
    ],
)
def test_integers_give_integers(name: str, expected: list[int]) -> None:
    (got,) = checked(name, {"X": np.array([-3, 0, 4], np.int32)})

    np.testing.assert_array_equal(got, np.array(expected, np.int32))


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("acos", 2.0, np.nan),
        ("exp", 1000.0, np.inf),
        ("log", 0.0, -np.inf),
        ("log", -1.0, np.nan),
        ("reciprocal", 0.0, np.inf),
        ("rsqrt", 0.0, np.inf),
        ("sqrt", -1.0, np.nan),
    ],
)
def test_numbers_outside_the_domain_give_no_warnings(name: str, x: float, expected: float) -> None:
    (got,) = checked(name, {"X": np.array([x], np.float32)})

    np.testing.assert_array_equal(got, float32([expected]))
