"""Reductions against numpy in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import close, floats, run

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "reduce_max": np.max,
    "reduce_mean": np.mean,
    "reduce_min": np.min,
    "reduce_prod": np.prod,
    "reduce_sum": np.sum,
}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

each_op = pytest.mark.parametrize("op", REDUCTIONS)


def reduced(op: str, x: Array, dim: list[int], *, keep: bool = False) -> Array:
    [result], _ = run(op, {"X": x}, {"dim": dim, "keep_dim": keep})
    return result


@each_op
@pytest.mark.parametrize(
    ("shape", "dim"),
    [
        ((7,), [0]),
        ((3, 64), [1]),
        ((37, 2), [1]),
        ((35, 16), [1]),
        ((3, 11, 19), [2]),
        ((33, 100), [1]),
        ((16, 384), [1]),
        ((5, 2050), [-1]),
        ((4, 4099), [1]),
        ((37, 5), [0]),
        ((300, 24), [0]),
        ((40, 600), [0]),
        ((2, 33, 7), [1]),
        ((3, 4, 5, 6), [2, 3]),
        ((3, 4, 5, 6), [0, 1]),
        ((3, 4, 5, 6), [1, 2]),
        ((1, 4, 5, 6), [0, 2, 3]),
        ((3, 1, 5), [0, 2]),
        ((3, 4, 5), [0, 1, 2]),
    ],
)
@pytest.mark.parametrize("keep", [True, False])
def test_neighbouring_axes_equal_numpy(op: str, shape: tuple[int, ...], dim: list[int], keep: bool) -> None:
    x = floats(1, *shape) if op != "reduce_prod" else 1 + floats(1, *shape) / 100
    close(reduced(op, x, dim, keep=keep), REDUCTIONS[op](x.astype(np.float64), tuple(dim), keepdims=keep))


@each_op
@pytest.mark.parametrize("dim", [[0, 2], [0, 1, 3]])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 40, 1, 33), (9, 1, 20, 7)])
def test_separate_axes_equal_numpy(op: str, dim: list[int], shape: tuple[int, ...]) -> None:
    x = floats(1, *shape) if op != "reduce_prod" else 1 + floats(1, *shape) / 100
    [result], is_compiled = run(op, {"X": x}, {"dim": dim})
    assert is_compiled
    close(result, REDUCTIONS[op](x.astype(np.float64), tuple(dim)))


@each_op
def test_three_separate_axes_run_on_the_host(op: str) -> None:
    x = floats(1, 2, 3, 2, 3, 2)
    [result], is_compiled = run(op, {"X": x}, {"dim": [0, 2, 4]})
    assert not is_compiled
    close(result, REDUCTIONS[op](x.astype(np.float64), (0, 2, 4)))


@each_op
@pytest.mark.parametrize(("shape", "dim"), [((0, 3), [0]), ((3, 0), [0]), ((9, 1), [1]), ((), [])])
def test_empty_axes_and_axes_of_one_element_equal_numpy(
    op: str, shape: tuple[int, ...], dim: list[int]
) -> None:
    neutral = {"reduce_max": -np.inf, "reduce_mean": np.nan, "reduce_min": np.inf, "reduce_prod": 1}
    x = np.ones(shape, np.float32)
    result = reduced(op, x, dim)
    assert result.shape == x.sum(tuple(dim)).shape
    np.testing.assert_array_equal(result, 1 if x.size else neutral.get(op, 0))


@pytest.mark.parametrize("op", ["reduce_max", "reduce_min", "reduce_sum", "reduce_mean"])
@pytest.mark.parametrize(("shape", "dim"), [((3, 77), 1), ((35, 19), 1), ((77, 19), 0), ((2, 40, 70), 1)])
def test_nan_anywhere_makes_the_result_nan(op: str, shape: tuple[int, ...], dim: int) -> None:
    for place in range(0, int(np.prod(shape)), 13):
        x = floats(1, *shape)
        x.flat[place] = np.nan
        np.testing.assert_array_equal(np.isnan(reduced(op, x, [dim])), np.isnan(x).any(dim))


@each_op
@pytest.mark.parametrize("dim", [0, 1])
def test_infinities_equal_numpy(op: str, dim: int) -> None:
    x = np.abs(floats(1, 21, 21)) + 0.5
    x[3, 4], x[5, 6], x[7, 8], x[7, 9] = np.inf, -np.inf, np.inf, -np.inf
    expected = REDUCTIONS[op](x.astype(np.float64), dim).astype(np.float32)
    result = reduced(op, x, [dim])
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_array_equal(result[np.isinf(expected)], expected[np.isinf(expected)])


@pytest.mark.parametrize("shape", [(1_000_001, 1), (300_000, 3)])
def test_long_sums_stay_accurate(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 0.1, np.float32)
    results, is_compiled = run("reduce_sum", {"X": x}, {"dim": [0]}, tolerance=1e-2)
    assert is_compiled
    np.testing.assert_allclose(results[0], x.sum(0, dtype=np.float64), rtol=2e-5)


def test_reductions_over_all_axes_equal_numpy() -> None:
    x = floats(1, 5, 6, 7)
    results, is_compiled = run("reduce_sum", {"X": x}, {"dim": [1], "reduce_all": True})
    assert is_compiled
    close(results[0], x.sum(dtype=np.float64))


def test_mean_of_all_elements_equals_numpy() -> None:
    x = floats(1, 5, 61)
    results, is_compiled = run("mean", {"X": x}, {})
    assert is_compiled
    close(results[0], x.mean(dtype=np.float64))


def test_a_tensor_without_axes_equals_numpy() -> None:
    x = np.array(3, np.float32)

    [result], is_compiled = run("reduce_max", {"X": x}, {"dim": [-1], "keep_dim": True})

    assert not is_compiled
    np.testing.assert_array_equal(result, x)


def test_another_output_dtype_runs_on_the_host() -> None:
    assert not run("reduce_sum", {"X": floats(1, 3, 4)}, {"dim": [1], "out_dtype": 6})[1]


def test_inputs_need_not_be_contiguous() -> None:
    x = floats(1, 6, 40).T
    close(reduced("reduce_sum", x, [0]), x.sum(0, dtype=np.float64))


@pytest.mark.parametrize(
    ("shape", "dim"), [((7,), [0]), ((3, 4, 33), [2]), ((5, 6, 100), [1, 2]), ((9, 1), [1])]
)
@pytest.mark.parametrize("keep", [True, False])
def test_logarithms_of_sums_of_exponentials(shape: tuple[int, ...], dim: list[int], keep: bool) -> None:
    x = 100 * floats(1, *shape)
    expected = np.logaddexp.reduce(x.astype(np.float64).reshape(*shape[: dim[0]], -1), axis=-1)

    [result], is_compiled = run("logsumexp", {"X": x}, {"dim": dim, "keep_dim": keep})

    close(result.reshape(expected.shape), expected)
    assert is_compiled == (shape != (9, 1))
    assert not run("logsumexp", {"X": floats(1, 5, 3)}, {"dim": [0]})[1]


def test_infinite_logarithms_of_sums() -> None:
    x, inf = floats(2, 5, 40), np.inf
    x[0, 3], x[1], x[2, 7], x[3, 5], x[3, 6] = inf, -inf, np.nan, inf, np.nan

    [result], is_compiled = run("logsumexp", {"X": x}, {"dim": [1]})

    assert is_compiled
    np.testing.assert_array_equal(result[:4], np.array([inf, -inf, np.nan, np.nan], np.float32))
