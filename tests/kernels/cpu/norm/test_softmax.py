"""softmax against numpy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import close, floats, run, run_compiled


def softmax(x: Array) -> Array:
    return run_compiled("softmax", {"X": x}, {})[0]


@pytest.mark.parametrize("shape", [(5,), (3, 1), (4, 7), (2, 3, 33), (1, 6625)])
def test_rows_of_any_length_equal_numpy(shape: tuple[int, ...]) -> None:
    x = 10 * floats(1, *shape)
    weights = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    close(softmax(x), weights / weights.sum(-1, keepdims=True), 1e-6)


@pytest.mark.parametrize("shape", [(3, 4, 5), (0, 4, 2)])
def test_another_axis_runs_on_the_host(shape: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    weights = np.exp(x.astype(np.float64))
    [result], is_compiled = run("softmax", {"X": x}, {"axis": 1})
    assert not is_compiled
    close(result, weights / weights.sum(1, keepdims=True), 1e-6)


@pytest.mark.parametrize("place", [0, 9, 12])
def test_a_row_with_nan_is_nan(place: int) -> None:
    x = np.zeros((1, 13), np.float32)
    x[0, place] = np.nan
    assert np.isnan(softmax(x)).all()


def test_large_numbers_do_not_overflow() -> None:
    x = np.array([[3e38, 0, -3e38, 3e38, -np.inf]], np.float32)
    np.testing.assert_array_equal(softmax(x), [[0.5, 0, 0, 0.5, 0]])
