"""Repetitions of tensors against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.kernels.cpu.shape.repeat import repeated_axes
from tests.kernels.cpu.bound import floats, run, run_compiled


@pytest.mark.parametrize(
    ("shape", "times"),
    [((5,), (3,)), ((2, 70), (1, 2)), ((1, 1, 6, 8), (1, 12, 1, 2)), ((3, 4), (2, 5, 1)), ((2, 3), (1, 1))],
)
def test_tile(shape: tuple[int, ...], times: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    (result,) = run_compiled("tile", {"X": x}, {"repeat_times": list(times)})
    np.testing.assert_array_equal(result, np.tile(x, times))


@pytest.mark.parametrize("op", ["broadcast_to", "expand_v2"])
@pytest.mark.parametrize(
    ("shape", "goal"),
    [
        ((1, 8, 1, 6, 5), (1, 8, 4, 6, 5)),
        ((3,), (2, 1, 3)),
        ((2, 1, 40), (2, 3, 40)),
        ((3, 1), (3, 5)),
        ((1, 1), (3, 9000)),
        ((2, 1, 3, 1), (2, 4, 3, 7)),
        ((5, 1, 1100), (5, 9, 1100)),
    ],
)
def test_expand(op: str, shape: tuple[int, ...], goal: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    (result,) = run_compiled(op, {"X": x}, {"shape": list(goal)})
    np.testing.assert_array_equal(result, np.broadcast_to(x, goal))


def test_other_cases_are_left_to_the_host() -> None:
    assert not run("tile", {"X": floats(0, 2, 2, 2, 2)}, {"repeat_times": [3, 2, 3, 2]})[1]
    assert not run("expand_v2", {"X": floats(0, 0, 1)}, {"shape": [0, 5]})[1]
    assert not run("tile", {"X": floats(0, 2)}, {"repeat_times": [0]})[1]


def test_axes_are_merged() -> None:
    assert repeated_axes((2, 3, 4), (2, 3, 4)) == [(24, 1)]
    assert repeated_axes((2, 1, 4), (6, 5, 4)) == [(3, 0), (2, 4), (5, 0), (4, 1)]
    assert repeated_axes((1, 1), (3, 2)) == [(6, 0)]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "uint16", "int32", "int64", "complex128"])
@pytest.mark.parametrize(
    ("shape", "times"), [((3, 4), (1, 3)), ((3, 4), (2, 1)), ((3, 4), (2, 1, 4)), ((3, 1), (2, 50))]
)
def test_elements_of_other_types(shape: tuple[int, ...], times: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-128, 128, shape).astype(dtype)

    for each in (x, np.asfortranarray(x)):
        [result] = run_compiled("tile", {"X": each}, {"repeat_times": [*times]})
        np.testing.assert_array_equal(result, np.tile(x, times))
        assert result.dtype == dtype
