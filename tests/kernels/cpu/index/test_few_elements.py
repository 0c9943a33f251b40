"""gather and take of slices of any type against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, run_compiled


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.int64, np.float64])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("index", [np.int64(2), np.array([1, -1, 0]), np.array([[2, 2]], np.int32)])
def test_slices(dtype: Any, axis: int, index: Any) -> None:
    x = np.random.default_rng(0).integers(0, 2, (3, 4, 5)).astype(dtype)
    for op in ("gather", "take") if np.ndim(index) < 2 else ("take",):
        (result,) = run_compiled(op, {"X": x, "Index": np.asarray(index)}, {"axis": axis})
        np.testing.assert_array_equal(result, np.take(x, index, axis))
        assert result.dtype == dtype


@pytest.mark.parametrize("wrong", [3, -4])
def test_an_index_outside_is_refused(wrong: int) -> None:
    x, index = np.arange(6).reshape(3, 2), np.array([0, wrong])
    bound = bind("gather", {"X": x, "Index": index}, {"axis": 0})
    assert bound.is_compiled
    with pytest.raises(IndexError, match=f"Index: expected -3 to 2, got {wrong}"):
        bound()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_many_slices_of_several_elements(axis: int, kind: Any) -> None:
    x = np.random.default_rng(0).integers(0, 9, (30, 7, 5))
    index = np.random.default_rng(1).integers(-7, 7, 300).astype(kind)

    (result,) = run_compiled("take", {"X": x, "Index": index}, {"axis": axis})

    np.testing.assert_array_equal(result, np.take(x, index, axis))


@pytest.mark.parametrize("count", [1025, 0])
def test_many_indices_and_none_are_left_to_the_host(count: int) -> None:
    inputs = {"X": np.arange(3), "Index": np.zeros(count, np.int64)}
    assert not bind("gather", inputs, {"axis": 0}).is_compiled


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.int64, np.float64])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_elements_along_an_axis(dtype: Any, axis: int, kind: Any) -> None:
    generator = np.random.default_rng(0)
    x, shape = generator.integers(0, 2, (3, 4, 5)).astype(dtype), [3, 4, 5]
    shape[axis] = 2
    index = generator.integers(-x.shape[axis], x.shape[axis], shape).astype(kind)

    [result] = run_compiled("take_along_axis", {"Input": x, "Index": index}, {"Axis": axis})

    np.testing.assert_array_equal(result, np.take_along_axis(x, index, axis))
    assert result.dtype == dtype


def test_fewer_rows_of_elements() -> None:
    x, index = np.arange(12).reshape(4, 3), np.array([[0, -1]])

    [result] = run_compiled("take_along_axis", {"Input": x, "Index": index}, {"Axis": 1})

    np.testing.assert_array_equal(result, [[0, 2]])


@pytest.mark.parametrize("wrong", [3, -4])
def test_an_element_outside_is_refused(wrong: int) -> None:
    x, index = np.arange(6).reshape(2, 3), np.array([[0, wrong], [1, 1]])
    bound = bind("take_along_axis", {"Input": x, "Index": index}, {"Axis": 1})
    assert bound.is_compiled
    with pytest.raises(IndexError, match=f"Index: expected -3 to 2, got {wrong}"):
        bound()
