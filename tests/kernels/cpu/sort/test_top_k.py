"""top_k_v2 against the host's kernel, and against sorting."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled

TOP = {"Out": 1, "Indices": 1}


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(
    ("shape", "k"),
    [
        ((7,), 3),
        ((3, 50), 1),
        ((2, 3, 40), 40),
        ((5, 1000), 130),
        ((5, 1000), 999),
        ((2, 9000), 33),
        ((1, 9000), 4000),
    ],
)
def test_the_best_come_first(shape: tuple[int, ...], k: int, largest: bool) -> None:
    x = np.round(floats(0, *shape) * 8)

    values, indices = run_compiled("top_k_v2", {"X": x}, {"k": k, "axis": -1, "largest": largest})

    order = np.argsort(-x if largest else x, axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))


def test_nan_comes_last() -> None:
    x = np.array([[np.nan, 1, np.nan, 3, -np.inf], [np.nan] * 5], np.float32)

    values, indices = run_compiled("top_k_v2", {"X": x}, {"k": 4, "axis": 1, "largest": True})

    np.testing.assert_array_equal(indices, [[3, 1, 4, 0], [0, 1, 2, 3]])
    np.testing.assert_array_equal(values, np.take_along_axis(x, indices, 1))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("order", ["rising", "falling", "equal", "zeros", "nan", "infinite"])
@pytest.mark.parametrize("k", [300, 700])
def test_orders_that_are_not_random(order: str, k: int, largest: bool) -> None:
    x = np.arange(3000, dtype=np.float32).reshape(2, 1500)
    zeros = np.where(x % 3 == 0, np.float32(-0.0), np.float32(0.0))
    x = {"falling": -x, "equal": np.zeros_like(x), "zeros": zeros}.get(order, x)
    if order in {"nan", "infinite"}:
        x[:, ::3] = np.nan if order == "nan" else np.inf

    values, indices = run_compiled("top_k_v2", {"X": x}, {"k": k, "axis": -1, "largest": largest})

    best = np.argsort(-x if largest else x, axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(indices, best)
    np.testing.assert_array_equal(values, np.take_along_axis(x, best, -1))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float64"])
@pytest.mark.parametrize(("shape", "k"), [((7,), 7), ((3, 50), 1), ((2, 3, 40), 5), ((5, 1000), 130)])
def test_other_types(shape: tuple[int, ...], k: int, dtype: str, largest: bool) -> None:
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    if dtype in ("int32", "int64"):
        # Numbers that float32 and float64 round, and the extremes.
        x += np.iinfo(dtype).max - 100
        x.flat[-2:] = np.iinfo(dtype).min, np.iinfo(dtype).max
    if dtype == "float64":
        x = x * 1e-12 + 1
        x.flat[:3] = np.nan, -0.0, 0.0
        x.flat[-2:] = -np.inf, np.inf

    values, indices = run_compiled("top_k_v2", {"X": x}, {"k": k, "axis": -1, "largest": largest})

    keys = ~x if dtype != "float64" else -x
    best = np.argsort(keys if largest else x, axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(indices, best)
    np.testing.assert_array_equal(values, np.take_along_axis(x, best, -1))


@pytest.mark.parametrize("largest", [True, False])
def test_doubles_with_nan(largest: bool) -> None:
    x = np.array([[np.nan, 1, np.nan, 3, -np.inf, np.inf], [np.nan] * 6])

    values, indices = run_compiled("top_k_v2", {"X": x}, {"k": 5, "axis": 1, "largest": largest})

    np.testing.assert_array_equal(indices, [[5, 3, 1, 4, 0] if largest else [4, 1, 3, 5, 0], [0, 1, 2, 3, 4]])
    np.testing.assert_array_equal(values, np.take_along_axis(x, indices, 1))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(
    ("shape", "axis", "k"),
    [((9, 100), 0, 9), ((2, 3, 5, 7), 1, 2), ((2, 64, 17), 1, 20), ((4, 6, 1), 1, 3), ((2, 7, 1, 1), -3, 7)],
)
def test_along_another_axis(shape: tuple[int, ...], axis: int, k: int, largest: bool) -> None:
    x = np.round(floats(0, *shape) * 4)
    x[x == 3] = np.nan

    values, indices = run_compiled("top_k_v2", {"X": x}, {"k": k, "axis": axis, "largest": largest})

    order = np.argsort(-x if largest else x, axis=axis, kind="stable").take(range(k), axis)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, axis))


def test_other_axes_are_left_to_the_host() -> None:
    assert not run("top_k_v2", {"X": floats(0, 65, 4)}, {"k": 2, "axis": 0})[1]
    integers = np.arange(24).reshape(6, 4)
    assert not run("top_k_v2", {"X": integers}, {"k": 2, "axis": 0})[1]
