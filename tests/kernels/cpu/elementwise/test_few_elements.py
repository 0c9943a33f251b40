"""Conditions, counters and small integers against numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array, DType
from tests.kernels.cpu.bound import bind, run_compiled

TYPES = (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64, np.float32, np.float64)
INTEGERS = TYPES[1:6]

CONDITIONS: dict[str, Callable[[Array, Array], Array]] = {
    "equal": np.equal,
    "greater_equal": np.greater_equal,
    "greater_than": np.greater,
    "less_equal": np.less_equal,
    "less_than": np.less,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "not_equal": np.not_equal,
}

ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "elementwise_add": np.add,
    "elementwise_max": np.maximum,
    "elementwise_min": np.minimum,
    "elementwise_mul": np.multiply,
    "elementwise_sub": np.subtract,
}

SPECIAL = [0.0, -0.0, 1.5, -2.5, np.nan, np.inf, -np.inf, 3e9, -3e9, 1e19, -1e19, 127.0, 128.0, 255.9]


def numbers(dtype: Any, *shape: int, seed: int = 0) -> Array:
    """Small and extreme numbers of a type, with many equal ones."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 3, shape)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        extremes = rng.choice(np.array([info.min, info.max], dtype), shape)
        return np.where(rng.random(shape) < 0.3, extremes, np.asarray(small, dtype))
    if np.dtype(dtype).kind == "f":
        return np.asarray(np.where(rng.random(shape) < 0.2, np.nan, small), dtype)
    return np.asarray(small % 2, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", CONDITIONS)
def test_conditions(op: str, dtype: Any) -> None:
    for shapes in [((), ()), ((5,), (5,)), ((2, 1, 3), (4, 1)), ((1,), (6, 2))]:
        x, y = (numbers(dtype, *shape, seed=n) for n, shape in enumerate(shapes))
        (result,) = run_compiled(op, {"X": x, "Y": y}, {"axis": -1})
        np.testing.assert_array_equal(result, CONDITIONS[op](x, y))
        assert result.dtype == np.bool_


def test_the_axis_of_a_smaller_operand() -> None:
    x, y = numbers(np.int64, 2, 3, 4), numbers(np.int64, 3)
    (result,) = run_compiled("less_than", {"X": x, "Y": y}, {"axis": 1})
    np.testing.assert_array_equal(result, x < y[:, None])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ARITHMETIC)
def test_integers_wrap_around(op: str, dtype: Any) -> None:
    x, y = numbers(dtype, 4, 3), numbers(dtype, 3, seed=1)
    (result,) = run_compiled(op, {"X": x, "Y": y}, {"axis": -1})
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(result, ARITHMETIC[op](x, y))
    assert result.dtype == dtype


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("goal", TYPES)
def test_cast(source: Any, goal: Any) -> None:
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL, np.float64).astype(source)
        x = special if np.dtype(source).kind == "f" else numbers(source, 14)
        (result,) = run_compiled("cast", {"X": x}, {"out_dtype": DType.from_numpy(np.dtype(goal)).code})
        np.testing.assert_array_equal(result, x.astype(goal))


def test_an_integer_is_rounded_once_to_float32() -> None:
    x = np.array([2**60 + 2**36 + 1, -(2**62) - 2**38 - 1], np.int64)
    (result,) = run_compiled("cast", {"X": x}, {"out_dtype": DType.FLOAT32.code})
    np.testing.assert_array_equal(result, x.astype(np.float32))


@pytest.mark.parametrize("dtype", TYPES)
def test_logical_not(dtype: Any) -> None:
    x = numbers(dtype, 3, 2)
    (result,) = run_compiled("logical_not", {"X": x}, {})
    np.testing.assert_array_equal(result, np.logical_not(x))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_increment(dtype: Any) -> None:
    x = numbers(dtype, 3)
    (result,) = run_compiled("increment", {"X": x}, {"step": 2.7})
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(result, x + dtype(2))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(("scale", "bias"), [(1.0, 2.7), (1.0, 0.0), (3.0, 0.0), (0.0, 0.0)])
def test_scale(dtype: Any, scale: float, bias: float) -> None:
    x = numbers(dtype, 3)
    (result,) = run_compiled("scale", {"X": x}, {"scale": scale, "bias": bias})
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(result, x * dtype(scale) + dtype(bias))


@pytest.mark.parametrize(
    "attrs",
    [
        {"scale": 2.0, "bias": 1.0},
        {"scale": -300.0},
        {"activation": "relu"},
        {"scale1": 2.0},
        {"bias1": 2.0},
    ],
    ids=str,
)
def test_other_scales_are_left_to_the_host(attrs: dict[str, Any]) -> None:
    assert not bind("scale", {"X": np.zeros(3, np.int8)}, attrs).is_compiled


@pytest.mark.parametrize("dtype", TYPES)
def test_where(dtype: Any) -> None:
    condition, x, y = numbers(np.bool_, 4, 1), numbers(dtype, 3), numbers(dtype, 2, 4, 3, seed=1)
    (result,) = run_compiled("where", {"Condition": condition, "X": x, "Y": y}, {})
    np.testing.assert_array_equal(result, np.where(condition, x, y))


@pytest.mark.parametrize(
    ("op", "inputs"),
    [
        ("less_than", {"X": np.zeros(1025, np.int64), "Y": np.zeros(1025, np.int64)}),
        ("less_than", {"X": np.zeros(3, np.float16), "Y": np.zeros(3, np.float16)}),
        ("elementwise_add", {"X": np.zeros(0, np.int64), "Y": np.zeros(0, np.int64)}),
        ("increment", {"X": np.zeros(2, np.float64)}),
    ],
)
def test_many_elements_and_other_types_are_left_to_the_host(op: str, inputs: dict[str, Array]) -> None:
    attrs = {"step": 1.0} if op == "increment" else {"axis": -1}
    assert not bind(op, inputs, attrs).is_compiled
