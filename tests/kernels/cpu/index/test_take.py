"""take, gather and lookup_table_v2 against numpy, and indices that are outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run, run_compiled

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("op", ["take", "gather"])
@pytest.mark.parametrize(
    ("shape", "axis", "indices"),
    [
        ((7,), 0, (3,)), ((9, 1), 0, (4,)), ((50, 3), 0, (11,)), ((50, 300), 0, (11,)), ((2, 9, 5), 1, (20,)),
        ((4, 6), -1, (9,)), ((3, 5, 2, 7), 2, (1,)), ((1000, 24), 0, (700,)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_slices(op: str, shape: tuple[int, ...], axis: int, indices: tuple[int, ...], kind: Any) -> None:
    x, index = floats(2, *shape), RNG.integers(-shape[axis], shape[axis], indices).astype(kind)
    (result,) = run_compiled(op, {"X": x, "Index": index}, {"axis": axis})
    np.testing.assert_array_equal(result, x.take(index, axis))


@pytest.mark.parametrize("indices", [(), (2, 3), (1, 1, 4)])
def test_an_index_of_any_rank(indices: tuple[int, ...]) -> None:
    x, index = floats(2, 4, 6, 3), np.asarray(RNG.integers(-6, 6, indices))
    (result,) = run_compiled("take", {"X": x, "Index": index}, {"axis": 1})
    np.testing.assert_array_equal(result, x.take(index, 1))


@pytest.mark.parametrize("padding", [-1, 3])
def test_rows_of_a_table(padding: int) -> None:
    table, ids = floats(1, 9, 37), np.array([[3, 0, 8], [1, 3, 3]])
    (result,) = run_compiled("lookup_table_v2", {"W": table, "Ids": ids}, {"padding_idx": padding})
    expected = table[ids]
    expected[ids == padding] = 0
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("bad", [3, -4, 2**40, -(2**63)])
def test_an_index_outside_is_an_error_of_one_run(width: int, bad: int) -> None:
    index = np.array([0, bad, 2])
    take = bind("take", {"X": floats(0, 3, width), "Index": index}, {"axis": 0})
    with pytest.raises(IndexError, match=rf"Index: expected -3 to 2, got {bad}"):
        take()
    index[1] = 1
    np.testing.assert_array_equal(take(), floats(0, 3, width)[index])


def test_a_table_has_no_negative_rows() -> None:
    table = bind("lookup_table_v2", {"W": floats(0, 3, 4), "Ids": np.array([-1])}, {"padding_idx": -1})
    with pytest.raises(IndexError, match="Ids: expected 0 to 2, got -1"):
        table()


def test_other_cases_are_left_to_the_host() -> None:
    x = floats(0, 4, 6)
    assert not run("take", {"X": x, "Index": np.zeros(0, np.int64)}, {"axis": 0})[1]
    axis = np.array([1], np.int64)
    assert not run("gather", {"X": x, "Index": np.array([1, 0]), "Axis": axis}, {"axis": 0}, ["Axis"])[1]
