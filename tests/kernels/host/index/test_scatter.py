"""Reads and writes by index against loops over every element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked, filled, numbers, same, whole

X = numbers(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (1, 2, 2)])
def test_take_counts_negative_indices_from_the_end(shape: tuple[int, ...], axis: int) -> None:
    index = np.random.default_rng(1).integers(-2, 2, shape)
    place = axis % 3

    def element(*at: int) -> float:
        picked = index[at[place : place + len(shape)]]
        return float(X[(*at[:place], picked, *at[place + len(shape) :])])

    (got,) = checked("take", {"X": X, "Index": index}, {"axis": axis})

    same(got, filled((*X.shape[:place], *shape, *X.shape[place + 1 :]), np.float32, element))


@pytest.mark.parametrize(
    "condition",
    [[True, False, True], [False, True], [False, False, False], [], [False, True, False, True, True]],
)
def test_compress_keeps_slices_where_the_condition_holds(condition: list[bool]) -> None:
    (got,) = checked("compress", {"X": X, "Condition": np.array(condition, bool)}, {"axis": 1})

    same(got, X[:, [n for n, kept in enumerate(condition[:3]) if kept]])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_axis_reads_one_index_per_element(axis: int) -> None:
    index = np.random.default_rng(2).integers(-2, 2, (2, 2, 3))

    def element(*at: int) -> float:
        place = list(at)
        place[axis] = index[at]
        return float(X[tuple(place)])

    (got,) = checked("take_along_axis", {"Input": X, "Index": index}, {"Axis": axis})

    same(got, filled(index.shape, np.float32, element))


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "assign": lambda _, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "multiply": lambda old, new: old * new,
    "amax": max,
    "amin": min,
}


@pytest.mark.parametrize("reduction", STEPS)
@pytest.mark.parametrize("axis", [0, -1])
def test_put_along_axis_writes_or_combines(axis: int, reduction: str) -> None:
    """Some places are named twice."""
    index = np.random.default_rng(3).integers(-2, 2, (2, 3, 2))
    values = numbers(2, 3, 2) - 5
    wanted = X.copy()
    for at in np.ndindex(*index.shape):
        place = list(at)
        place[axis] = index[at]
        wanted[tuple(place)] = STEPS[reduction](wanted[tuple(place)], values[at])

    inputs = {"Input": X, "Index": index, "Value": values}
    (got,) = checked("put_along_axis", inputs, {"Axis": axis, "Reduce": reduction})

    same(got, wanted)


@pytest.mark.parametrize("reduction", ["assign", "multiply", "amax", "amin"])
@pytest.mark.parametrize("index", [[[0, 1], [1, -1], [0, 1]], [[1], [0]], [[1, 2, 3]]])
def test_scatter_nd_update_writes_or_combines(index: list[list[int]], reduction: str) -> None:
    places = np.array(index)
    updates = numbers(len(index), *X.shape[places.shape[1] :]) - 3
    wanted = X.copy()
    for place, update in zip(places, updates, strict=True):
        at = tuple(place)
        wanted[at] = np.vectorize(STEPS[reduction])(wanted[at], update)

    inputs = {"X": X, "Index": places, "Updates": updates}
    (got,) = checked("scatter_nd_update", inputs, {"reduction": reduction})

    same(got, wanted)


def test_scatter_nd_update_by_empty_coordinates_takes_all() -> None:
    inputs = {
        "X": whole(4, -2),
        "Index": np.zeros((2, 0), np.int64),
        "Updates": whole(3, 1, 1, 5).reshape(2, 2),
    }

    (got,) = checked("scatter_nd_update", inputs, {"reduction": "amax"})

    same(got, whole(4, 5))


@pytest.mark.parametrize(("mode", "starts"), [("linear", [1, 2]), ("circular", [3, 2]), ("linear", None)])
@pytest.mark.parametrize("axis", [1, -1])
def test_tensor_scatter_starts_where_starts_says(axis: int, mode: str, starts: list[int] | None) -> None:
    past, updates = numbers(2, 4, 4), -numbers(2, 2, 4).swapaxes(1, axis)
    wanted = past.copy().swapaxes(1, axis)
    for sample, start in enumerate(starts or [0, 0]):
        for n in range(2):
            wanted[sample, (start + n) % 4] = updates.swapaxes(1, axis)[sample, n]

    inputs = {"X": past, "Updates": updates, **({} if starts is None else {"Starts": whole(*starts)})}
    (got,) = checked("tensor_scatter", inputs, {"axis": axis, "mode": mode})

    same(got, wanted.swapaxes(1, axis))


def test_tensor_scatter_beyond_the_end_is_refused() -> None:
    inputs = {"X": numbers(1, 3), "Updates": numbers(1, 2), "Starts": whole(2)}

    with pytest.raises(Exception, match="Starts: expected at least 0 and at most 1, got 2"):
        checked("tensor_scatter", inputs, {"axis": 1})


@pytest.mark.parametrize(("batch_axis", "time_axis"), [(0, 1), (1, 0), (2, 1)])
def test_reverse_sequence_reverses_the_first_elements(batch_axis: int, time_axis: int) -> None:
    x = numbers(3, 3, 3)
    lengths = whole(0, 3, 2)

    def element(*at: int) -> float:
        place, length = list(at), lengths[at[batch_axis]]
        if at[time_axis] < length:
            place[time_axis] = length - 1 - at[time_axis]
        return float(x[tuple(place)])

    attrs = {"batch_axis": batch_axis, "time_axis": time_axis}
    (got,) = checked("reverse_sequence", {"X": x, "SequenceLens": lengths}, dict(attrs))

    same(got, filled(x.shape, np.float32, element))


@pytest.mark.parametrize(
    ("op", "inputs", "message"),
    [
        (
            "take",
            {"X": X, "Index": whole(0)},
            r"take: attribute axis: expected an axis of float32\[2,3,4\], got 3",
        ),
        ("compress", {"X": X, "Condition": np.array([True])}, "compress: attribute axis: expected an axis"),
    ],
)
def test_an_axis_outside_is_refused(op: str, inputs: dict[str, Array], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        checked(op, inputs, {"axis": 3})


def test_an_index_of_another_rank_is_refused() -> None:
    with pytest.raises(
        GraphError, match="take_along_axis: slot Index: expected rank 3 like Input, got int32"
    ):
        checked("take_along_axis", {"Input": X, "Index": whole(0)})
