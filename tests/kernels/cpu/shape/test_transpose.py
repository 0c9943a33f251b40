"""Permutations of axes against numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.kernel.run_context import run_context
from tests.kernels.cpu.bound import floats, run, run_compiled
from tests.kernels.cpu.split_work import split_work


def transposed(x: Array, axis: list[int]) -> Array:
    results = run_compiled("transpose2", {"X": x}, {"axis": axis})
    assert results[1].shape == (0, *x.shape)
    return results[0]


@pytest.mark.parametrize("axis", list(itertools.permutations(range(4))))
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 1, 18, 35), (2, 40, 3, 19)])
def test_all_permutations_of_four_axes_equal_numpy(shape: tuple[int, ...], axis: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    np.testing.assert_array_equal(transposed(x, list(axis)), x.transpose(axis))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((7,), [0]),
        ((1, 1), [1, 0]),
        ((8, 8), [1, 0]),
        ((129, 257), [1, 0]),
        ((3, 300), [1, 0]),
        ((300, 3), [1, 0]),
        ((2, 700, 5), [0, 2, 1]),
        ((2, 530, 33), [0, 2, 1]),
        ((2, 70, 130), [0, 2, -2]),
        ((2, 3, 4, 5, 6), [4, 2, 0, 1, 3]),
        ((2, 3, 4, 5, 6), [0, 3, 1, 4, 2]),
        ((), []),
        ((1, 4, 6, 2, 6, 2), [0, 1, 2, 4, 3, 5]),
    ],
)
def test_permutations_of_other_ranks_equal_numpy(shape: tuple[int, ...], axis: list[int]) -> None:
    x = floats(1, *shape)
    np.testing.assert_array_equal(transposed(x, axis), x.transpose(axis))


def test_inputs_need_not_be_contiguous() -> None:
    x = floats(1, 20, 30)[:, ::2]
    np.testing.assert_array_equal(transposed(x, [1, 0]), x.T)


@pytest.mark.parametrize("shape", [(2, 700, 5), (3, 40, 530), (2, 530, 33)])
def test_threads_share_strips(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    x = floats(1, *shape)
    with run_context(2):
        split_work(monkeypatch)
        np.testing.assert_array_equal(transposed(x, [0, 2, 1]), x.transpose(0, 2, 1))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((0, 3), [1, 0]), ((2, 3, 2, 3, 2, 9), [0, 3, 1, 4, 2, 5]), ((2,) * 6, [1, 0, 3, 2, 5, 4])],
)
def test_empty_tensors_and_many_axes_run_on_the_host(shape: tuple[int, ...], axis: list[int]) -> None:
    _, is_compiled = run("transpose2", {"X": floats(1, *shape)}, {"axis": axis})
    assert not is_compiled


def test_nan_is_moved_like_numbers() -> None:
    x = floats(1, 20, 20)
    x[3, 17] = np.nan
    np.testing.assert_array_equal(transposed(x, [1, 0]), x.T)


@pytest.mark.parametrize("axis", list(itertools.permutations(range(4))))
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 1, 18, 35), (2, 40, 3, 19)])
def test_bytes_are_permuted_alike(shape: tuple[int, ...], axis: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    np.testing.assert_array_equal(transposed(x, list(axis)), x.transpose(axis))


@pytest.mark.parametrize("axis", [[1, 0, 2], [2, 1, 0], [0, 2, 1]])
def test_integers_are_permuted_alike(axis: list[int]) -> None:
    x = np.random.default_rng(0).integers(-(2**31), 2**31 - 1, (7, 40, 19), np.int32)

    for each in (x, np.asfortranarray(x)):
        result, _ = run_compiled("transpose2", {"X": each}, {"axis": axis})
        np.testing.assert_array_equal(result, x.transpose(axis))
        assert result.dtype == np.int32


@pytest.mark.parametrize("axis", [[1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0]])
@pytest.mark.parametrize("shape", [(2, 3, 70), (5, 40, 19), (3, 150, 8), (1, 16, 16), (2, 7, 3)])
@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.float16, np.uint16, np.int64, np.float64, np.complex64]
)
def test_elements_of_all_sizes_are_permuted_alike(
    dtype: type[np.generic], shape: tuple[int, ...], axis: list[int]
) -> None:
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)

    results = run_compiled("transpose2", {"X": x}, {"axis": axis})

    np.testing.assert_array_equal(results[0], x.transpose(axis))
    assert results[0].dtype == dtype


def test_elements_of_16_bytes_are_copied_by_rows_only() -> None:
    x = np.arange(24, dtype=np.complex128).reshape(2, 3, 4)

    rows, is_compiled = run("transpose2", {"X": x}, {"axis": [1, 0, 2]})

    assert is_compiled
    np.testing.assert_array_equal(rows[0], x.transpose(1, 0, 2))
    assert not run("transpose2", {"X": x}, {"axis": [0, 2, 1]})[1]
