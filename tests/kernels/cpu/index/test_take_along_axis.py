"""take_along_axis against numpy, and indices that are outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared, floats, run, run_compiled

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("shape", "axis", "indices"),
    [((7,), 0, (3,)), ((4, 9), 1, (4, 20)), ((5, 3, 6), -2, (2, 8, 6)), ((3, 40), 0, (5, 40))],
)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_elements(shape: tuple[int, ...], axis: int, indices: tuple[int, ...], kind: Any) -> None:
    x, index = floats(2, *shape), RNG.integers(-shape[axis], shape[axis], indices).astype(kind)
    (result,) = run_compiled("take_along_axis", {"Input": x, "Index": index}, {"Axis": axis})
    expected = np.take_along_axis(x[: indices[0]] if axis % len(shape) else x, index, axis)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("bad", [3, -4, 2**40, -(2**62)])
def test_an_index_outside_is_an_error(axis: int, bad: int) -> None:
    x, index = floats(0, 3, 3), np.array([[0, bad, 2], [1, 1, 0], [0, 0, 0]])
    with pytest.raises(IndexError, match=r"Index: expected -3 to 2, got"):
        bind("take_along_axis", {"Input": x, "Index": index}, {"Axis": axis})()


def test_other_cases_are_left_to_the_host() -> None:
    x = floats(0, 4, 6)
    for index in (np.zeros((0, 6), np.int64), np.zeros((3, 2), np.int64)):
        assert not run("take_along_axis", {"Input": x, "Index": index}, {"Axis": 0})[1]


@pytest.mark.parametrize("reduce", ["assign", "add", "mul"])
@pytest.mark.parametrize(
    ("shape", "axis", "indices"),
    [((7,), 0, (3,)), ((4, 9), 1, (4, 20)), ((5, 3, 6), -2, (2, 8, 6)), ((3, 40), 0, (5, 40))],
)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_put_elements(
    shape: tuple[int, ...], axis: int, indices: tuple[int, ...], reduce: str, kind: Any
) -> None:
    inputs = {
        "Input": floats(2, *shape),
        "Index": RNG.integers(-shape[axis], shape[axis], indices).astype(kind),
        "Value": floats(3, *indices),
    }
    (result,) = run_compiled("put_along_axis", inputs, {"Axis": axis, "Reduce": reduce})
    expected = bind_unprepared("put_along_axis", inputs, {"Axis": axis, "Reduce": reduce})()
    np.testing.assert_array_equal(result, expected)


def test_put_outside_is_an_error_and_broadcast_values_are_left_to_the_host() -> None:
    inputs = {"Input": floats(0, 3, 3), "Index": np.array([[0, 1, 5]]), "Value": floats(1, 1, 3)}
    with pytest.raises(IndexError, match="Index: expected -3 to 2, got 5"):
        bind("put_along_axis", inputs, {"Axis": 0, "Reduce": "assign"})()
    inputs = {**inputs, "Index": np.array([[0, 1, 2]]), "Value": floats(1, 1)}
    assert not run("put_along_axis", inputs, {"Axis": 0, "Reduce": "assign"})[1]
