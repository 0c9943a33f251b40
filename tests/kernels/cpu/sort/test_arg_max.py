"""arg_max and arg_min against numpy."""

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


def test_the_last_axis_is_left_to_the_host() -> None:
    assert not run("arg_max", {"X": floats(0, 6, 40)}, {"axis": -1})[1]
