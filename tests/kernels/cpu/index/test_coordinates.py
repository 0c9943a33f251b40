"""gather_nd and the ops that write at coordinates, against the host, and coordinates that are outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared, floats, run, run_compiled

RNG = np.random.default_rng(7)


def _coordinates(sizes: tuple[int, ...], *shape: int) -> np.ndarray[Any, Any]:
    return np.stack([RNG.integers(-size, size, shape) for size in sizes], -1)


@pytest.mark.parametrize(
    ("shape", "batch", "depth", "indices"),
    [
        ((7,), 0, 1, (3,)), ((4, 9), 0, 2, (20,)), ((4, 9, 5), 0, 1, (2, 3)), ((6, 5, 40), 0, 2, (11,)),
        ((3, 8, 5), 1, 1, (3, 4)), ((3, 8, 5), 1, 2, (3,)), ((2, 3, 8, 5), 2, 1, (2, 3, 6, 2)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_slices(shape: tuple[int, ...], batch: int, depth: int, indices: tuple[int, ...], kind: Any) -> None:
    x, index = floats(2, *shape), _coordinates(shape[batch : batch + depth], *indices).astype(kind)
    (result,) = run_compiled("gather_nd", {"X": x, "Index": index}, {"batch_dims": batch})
    expected = bind_unprepared("gather_nd", {"X": x, "Index": index}, {"batch_dims": batch})()
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("op", ["scatter_nd_update", "scatter_nd_add", "multiply"])
@pytest.mark.parametrize(
    ("shape", "depth", "count"), [((7,), 1, 12), ((4, 9), 2, 50), ((4, 9, 5), 1, 3), ((6, 5, 300), 2, 40)]
)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_writes(op: str, shape: tuple[int, ...], depth: int, count: int, kind: Any) -> None:
    attrs = {"multiply": {"reduction": "multiply"}, "scatter_nd_update": {"reduction": "assign"}}.get(op, {})
    x, index = floats(2, *shape), _coordinates(shape[:depth], count).astype(kind)
    inputs = {"X": x, "Index": index, "Updates": floats(3, count, *shape[depth:])}
    name = "scatter_nd_update" if op == "multiply" else op
    (result,) = run_compiled(name, inputs, attrs)
    expected = bind_unprepared(name, inputs, attrs)()
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("ids", [(5,), (5, 1)])
def test_rows_are_replaced(ids: tuple[int, ...]) -> None:
    inputs = {"X": floats(1, 8, 9), "Ids": RNG.integers(0, 8, ids), "Updates": floats(2, 5, 9)}
    (result,) = run_compiled("scatter", inputs, {"overwrite": True})
    expected = bind_unprepared("scatter", inputs, {"overwrite": True})()
    np.testing.assert_array_equal(result, expected)
    assert not run("scatter", inputs, {"overwrite": False})[1]


def test_a_coordinate_outside_is_an_error_that_names_its_axis() -> None:
    x, index = floats(0, 3, 4, 2), np.array([[0, 1], [2, 4]])
    for op, inputs in (("gather_nd", {}), ("scatter_nd_add", {"Updates": floats(1, 2, 2)})):
        with pytest.raises(IndexError, match="Index: expected -4 to 3, got 4"):
            bind(op, {"X": x, "Index": index, **inputs}, {})()


def test_other_cases_are_left_to_the_host() -> None:
    x = floats(0, 4, 6)
    for index in (np.zeros((0, 1), np.int64), np.zeros((2, 0), np.int64)):
        assert not run("gather_nd", {"X": x, "Index": index}, {"batch_dims": 0})[1]
    inputs = {"X": x, "Index": np.array([[1], [1]]), "Updates": floats(1, 2, 6)}
    assert not run("scatter_nd_update", inputs, {"reduction": "amax"})[1]
