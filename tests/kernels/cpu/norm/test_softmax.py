"""softmax against numpy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import bind, close, floats, run, run_compiled


def softmax(x: Array) -> Array:
    return run_compiled("softmax", {"X": x}, {})[0]


@pytest.mark.parametrize("shape", [(5,), (3, 1), (4, 7), (2, 3, 33), (1, 6625)])
def test_rows_of_any_length_equal_numpy(shape: tuple[int, ...]) -> None:
    x = 10 * floats(1, *shape)
    weights = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    close(softmax(x), weights / weights.sum(-1, keepdims=True), 1e-6)


@pytest.mark.parametrize(
    "shape",
    [(3, 4, 5), (2, 9, 2, 2), (1, 21, 5, 13), (2, 1, 16), (0, 4, 2), (3, 8, 4), (2, 37, 6), (1, 3, 3)],
)
@pytest.mark.parametrize("axis", [1, -2])
def test_columns_of_any_number_equal_numpy(shape: tuple[int, ...], axis: int) -> None:
    x = 10 * floats(1, *shape)
    weights = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
    [result], is_compiled = run("softmax", {"X": x}, {"axis": axis})
    assert is_compiled == (x.size > 0)
    close(result, weights / weights.sum(axis, keepdims=True), 1e-6)


@pytest.mark.parametrize("columns", [2, 3, 4, 5, 6, 7, 8, 16, 20])
def test_columns_may_be_computed_in_place(columns: int) -> None:
    x = floats(1, 2, 19, columns)
    bound = bind("softmax", {"X": x}, {"axis": 1})
    expected = bound()
    assert bound(out=x) is x
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("columns", [3, 4, 7, 20])
def test_only_columns_with_nan_are_nan(columns: int) -> None:
    x = np.zeros((1, 5, columns), np.float32)
    x[0, 4, 1], x[0, :4, 2] = np.nan, -np.inf
    [result] = run_compiled("softmax", {"X": x}, {"axis": 1})
    expected = np.full((1, 5, columns), 0.2, np.float32)
    expected[0, :, 1], expected[0, :4, 2], expected[0, 4, 2] = np.nan, 0, 1
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("place", [0, 9, 12])
def test_a_row_with_nan_is_nan(place: int) -> None:
    x = np.zeros((1, 13), np.float32)
    x[0, place] = np.nan
    assert np.isnan(softmax(x)).all()


def test_large_numbers_do_not_overflow() -> None:
    x = np.array([[3e38, 0, -3e38, 3e38, -np.inf]], np.float32)
    np.testing.assert_array_equal(softmax(x), [[0.5, 0, 0, 0.5, 0]])
