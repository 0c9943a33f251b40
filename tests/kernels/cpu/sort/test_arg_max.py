"""arg_max, arg_min and hardmax against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled


@pytest.mark.parametrize("op", ["arg_max", "arg_min"])
@pytest.mark.parametrize(("shape", "axis"), [((9, 8), 0), ((2, 21, 1500), 1), ((1, 3, 5, 7), -3)])
def test_the_first_best_place(op: str, shape: tuple[int, ...], axis: int) -> None:
    x = np.round(floats(1, *shape) * 2)
    x.reshape(-1)[5] = np.nan

    [result] = run_compiled(op, {"X": x}, {"axis": axis})

    np.testing.assert_array_equal(result, getattr(np, op.replace("_", ""))(x, axis))


@pytest.mark.parametrize("op", ["arg_max", "arg_min"])
@pytest.mark.parametrize(
    "shape", [(3, 1), (5, 7), (4, 16), (2, 3, 1000), (33,), (6, 50, 1), (19, 35), (2, 8, 16), (70, 256)]
)
@pytest.mark.parametrize("places", [(), (-1,), (0, 2), (1, 17, 18)])
def test_the_first_best_place_in_rows(op: str, shape: tuple[int, ...], places: tuple[int, ...]) -> None:
    """Whole numbers, so that the best one occurs several times, with NaN at some places."""
    axis = -2 if shape[-1] == 1 and len(shape) > 2 else -1
    x = np.round(floats(1, *shape) * 2)
    for place in places:
        x.reshape(-1, shape[axis])[-1, place % shape[axis]] = np.nan

    [result] = run_compiled(op, {"X": x}, {"axis": axis})

    np.testing.assert_array_equal(result, getattr(np, op.replace("_", ""))(x, axis))


def test_a_few_columns_are_left_to_the_host() -> None:
    assert not run("arg_max", {"X": floats(0, 6, 7)}, {"axis": 0})[1]


@pytest.mark.parametrize(("shape", "axis"), [((40, 33), -1), ((2, 3, 300), 2), ((1,), 0), ((9,), -1)])
def test_hardmax(shape: tuple[int, ...], axis: int) -> None:
    x = np.round(floats(1, *shape) * 2)
    x.reshape(-1, shape[-1])[-1, 0] = np.nan

    [result] = run_compiled("hardmax", {"X": x}, {"axis": axis})

    np.testing.assert_array_equal(result, np.eye(shape[-1])[x.argmax(-1)])


@pytest.mark.parametrize(("shape", "axis"), [((3, 4), 0), ((), -1), ((0, 3), -1)])
def test_hardmax_of_other_axes_and_without_rows_is_left_to_the_host(
    shape: tuple[int, ...], axis: int
) -> None:
    assert not run("hardmax", {"X": floats(0, *shape)}, {"axis": axis})[1]
