"""log_softmax against numpy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import close, floats, run


def log_softmax(x: Array, axis: int = -1) -> Array:
    [result], is_compiled = run("log_softmax", {"X": x}, {"axis": axis})
    assert is_compiled == (axis == -1)
    return result


@pytest.mark.parametrize("shape", [(5,), (8,), (3, 1), (4, 7), (2, 3, 33), (1, 6625)])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_rows_of_any_length_equal_numpy(shape: tuple[int, ...], scale: float) -> None:
    x = np.float32(scale) * floats(1, *shape)
    wide = x.astype(np.float64) - x.max(-1, keepdims=True)
    close(log_softmax(x), wide - np.log(np.exp(wide).sum(-1, keepdims=True)), 1e-6)


@pytest.mark.parametrize("shape", [(3, 4, 5), (0, 4, 2), (2, 3, 0)])
def test_another_axis_runs_on_the_host(shape: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    wide = x.astype(np.float64)
    result = log_softmax(x, 1)
    expected = wide - np.log(np.exp(wide).sum(1, keepdims=True))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("place", [0, 9, 12])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_row_with_nan_or_infinity_is_nan(place: int, value: float) -> None:
    x = np.zeros((2, 13), np.float32)
    x[0, place] = value
    result = log_softmax(x)
    assert np.isnan(result[0]).all()
    np.testing.assert_allclose(result[1], -np.log(13), rtol=1e-6)


def test_the_logarithm_of_no_probability_is_minus_infinity() -> None:
    x = np.array([[0, -np.inf, 0, -3e38]], np.float32)
    np.testing.assert_allclose(log_softmax(x), [[-np.log(2), -np.inf, -np.log(2), -3e38]], rtol=1e-6)
