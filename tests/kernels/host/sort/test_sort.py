"""argsort, top_k_v2, unique, unique_with_counts, against Python's own sorting and dictionaries."""

from typing import Any

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.types import Array
from tests.kernels.host.checked import checked, numbers, same, whole


def ranked(row: Array, *, descending: bool) -> list[int]:
    """Places of the elements in order; Python's sort keeps equal ones in theirs, also in reverse."""
    return sorted(range(len(row)), key=row.tolist().__getitem__, reverse=descending)


def along(x: Array, axis: int, count: int, *, descending: bool) -> list[Array]:
    rows = np.moveaxis(x, axis, -1)
    shape = (*rows.shape[:-1], count)
    values, places = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    for index in np.ndindex(*shape[:-1]):
        order = ranked(rows[index], descending=descending)[:count]
        values[index], places[index] = rows[index][order], order
    return [np.moveaxis(part, -1, axis) for part in (values, places)]


TIED = np.random.default_rng(0).integers(0, 4, (3, 40)).astype(np.float32)
INPUTS = [numbers(3, 40), TIED, TIED.astype(np.int32), (TIED > 1), np.array([[0, 2**63 + 5, 7]], np.uint64)]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("x", INPUTS, ids=lambda x: str(x.dtype))
def test_argsort_is_stable(x: Array, axis: int, descending: bool) -> None:
    found = checked("argsort", {"X": x}, {"axis": axis, "descending": descending}, {"Out": 1, "Indices": 1})
    for part, wanted in zip(found, along(x, axis, x.shape[axis], descending=descending), strict=True):
        same(part, wanted)


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize(("axis", "k"), [(0, 1), (-1, 1), (1, 3)])
@pytest.mark.parametrize("x", INPUTS, ids=lambda x: str(x.dtype))
def test_top_k_gives_the_best_first(x: Array, axis: int, k: int, largest: bool) -> None:
    attrs = {"k": k, "axis": axis, "largest": largest}
    found = checked("top_k_v2", {"X": x}, attrs, {"Out": 1, "Indices": 1})
    for part, wanted in zip(found, along(x, axis, k, descending=largest), strict=True):
        same(part, wanted)


def test_top_k_takes_k_from_a_tensor() -> None:
    x = numbers(2, 5)
    found = checked("top_k_v2", {"X": x, "K": whole(4)}, {"k": 1}, {"Out": 1, "Indices": 1})
    for part, wanted in zip(found, along(x, -1, 4, descending=True), strict=True):
        same(part, wanted)


@pytest.mark.parametrize("op", ["argsort", "top_k_v2"])
def test_a_scalar_is_its_own_order(op: str) -> None:
    value, place = checked(op, {"X": np.array(3.5)}, {}, {"Out": 1, "Indices": 1})
    same(value, np.array(3.5))
    same(place, np.array(0))


@pytest.mark.parametrize(
    ("op", "attrs"), [("argsort", {"axis": 2}), ("top_k_v2", {"k": 6}), ("top_k_v2", {"axis": -3})]
)
def test_errors_name_the_input_that_does_not_fit(op: str, attrs: dict[str, int]) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, {"X": numbers(2, 5)}, dict(attrs))


EVERY = {"Out": 1, "Index": 1, "Indices": 1, "Counts": 1}
REPEATS = whole(3, 1, 3, 2, 1, 3)


@pytest.mark.parametrize(("is_sorted", "order"), [(True, [1, 2, 3]), (False, [3, 1, 2])])
def test_unique_lists_distinct_elements(is_sorted: bool, order: list[int]) -> None:
    items = REPEATS.tolist()
    found = checked("unique", {"X": REPEATS}, {"is_sorted": is_sorted, "dtype": 2}, EVERY)
    same(found[0], whole(*order))
    same(found[1], whole(*(order.index(item) for item in items)))
    same(found[2], whole(*(items.index(item) for item in order)))
    same(found[3], whole(*(items.count(item) for item in order)))


def test_unique_lists_distinct_slices() -> None:
    x = np.array([[2, 1, 2], [0, 5, 0]], np.float32)
    found = checked("unique", {"X": x}, {"is_sorted": True, "axis": [1]}, EVERY)
    same(found[0], np.array([[1, 2], [5, 0]], np.float32))
    for part, wanted in zip(found[1:], ([1, 0, 1], [1, 0], [1, 2]), strict=True):
        same(part, whole(*wanted, dtype=np.int64))


def test_unique_takes_empty_tensors_and_scalars() -> None:
    assert [part.shape for part in checked("unique", {"X": whole()}, {"is_sorted": True}, EVERY)] == [
        (0,)
    ] * 4
    same(checked("unique", {"X": np.array(4.0)}, {"is_sorted": True})[0], np.array([4.0]))


def test_unique_with_counts_keeps_the_order() -> None:
    found = checked("unique_with_counts", {"X": REPEATS}, {}, {"Out": 1, "Index": 1, "Count": 1})
    for part, wanted in zip(found, ([3, 1, 2], [0, 1, 0, 2, 1, 0], [3, 2, 1]), strict=True):
        same(part, whole(*wanted))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("values", [2, 5, 1000])
def test_the_first_of_many_equal_elements(dtype: Any, largest: bool, values: int) -> None:
    x = np.random.default_rng(values).integers(-values // 2, values // 2 + 1, (6, 200)).astype(dtype)
    order = np.argsort(-x.astype(np.int64) if largest else x, axis=-1, kind="stable")[:, :7]

    best, indices = checked(
        "top_k_v2", {"X": x}, {"k": 7, "axis": -1, "largest": largest}, {"Out": 1, "Indices": 1}
    )

    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(best, np.take_along_axis(x, order, -1))


def test_nan_among_the_best() -> None:
    x = np.ones((2, 64))
    x[0, 5], x[1, :60] = np.nan, np.nan

    _, indices = checked(
        "top_k_v2", {"X": x}, {"k": 6, "axis": -1, "largest": False}, {"Out": 1, "Indices": 1}
    )

    np.testing.assert_array_equal(indices, np.argsort(x, axis=-1, kind="stable")[:, :6])
