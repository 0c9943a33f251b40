"""Elementwise operators of the SDK against their definitions."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run

FUNCTIONS: dict[str, Callable[[float, float], float]] = {
    "ADD": operator.add,
    "SUB": operator.sub,
    "MUL": operator.mul,
    "DIV": operator.truediv,
    "MAX": max,
    "MIN": min,
}


def by_loops(function: Callable[[float, float], float], a: Array, b: Array) -> Array:
    """Each element of the result from one element of each tensor; axes of size 1 are broadcast."""
    shape = tuple(max(pair) for pair in zip(a.shape, b.shape, strict=True))
    result = np.empty(shape, a.dtype)
    for index in np.ndindex(shape):
        at_a, at_b = (tuple(min(i, size - 1) for i, size in zip(index, x.shape, strict=True)) for x in (a, b))
        result[index] = function(a[at_a], b[at_b])
    return result


@pytest.mark.parametrize("shapes", [((2, 3, 4), (2, 3, 4)), ((2, 1, 4), (1, 3, 1)), ((1,), (5,))])
@pytest.mark.parametrize("kind", list(FUNCTIONS))
def test_float32_follows_the_definition(kind: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = floats(*shapes[0]), floats(*shapes[1], seed=1)

    (result,) = run(kind, a, b)

    np.testing.assert_allclose(result, by_loops(FUNCTIONS[kind], a, b), rtol=1e-6)


@pytest.mark.parametrize("kind", ["ADD", "SUB", "MUL", "MAX", "MIN"])
def test_int32_follows_the_definition(kind: str) -> None:
    a, b = integers(2, 3), integers(1, 3, seed=1)

    (result,) = run(kind, a, b)

    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, by_loops(FUNCTIONS[kind], a, b))


def test_either_input_may_be_a_constant() -> None:
    a, b = floats(2, 3), floats(2, 3, seed=1)

    np.testing.assert_array_equal(run("SUB", a, b, constants=[0])[0], a - b)
    np.testing.assert_array_equal(run("SUB", a, b, constants=[1])[0], a - b)


def test_integers_wrap_around_and_division_by_zero_is_infinite() -> None:
    assert run("ADD", np.array([2**31 - 1], np.int32), np.array([1], np.int32))[0] == -(2**31)
    assert run("DIV", np.ones(1, np.float32), np.zeros(1, np.float32))[0] == np.inf


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (
            floats(2),
            integers(2),
            "105 INVALID_DTYPE: ADD: float32[2] and int32[2] (supported: one element type)",
        ),
        (
            floats(2, 3),
            floats(3),
            "104 INVALID_SHAPE: ADD: float32[2, 3] and float32[3] have different ranks",
        ),
        (
            floats(2, 3),
            floats(2, 2),
            "104 INVALID_SHAPE: ADD: float32[2, 3] and float32[2, 2] cannot be broadcast",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_errors(a: Array, b: Array, sentence: str) -> None:
    assert refusal("ADD", a, b) == f"NPU-{sentence}"


def test_division_of_int32_is_an_error() -> None:
    assert (
        refusal("DIV", integers(2), integers(2))
        == "NPU-105 INVALID_DTYPE: DIV: int32[2] (supported: float32)"
    )
