"""pool_nd against the host's kernel, which plain loops check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared, close, floats, run_compiled

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "line": ((2, 3, 41), {"ksize": [3], "strides": [2], "paddings": [1, 0]}),
    "plane": ((1, 5, 9, 20), {"ksize": [3, 2], "strides": [1, 2], "paddings": [1, 1, 0, 1]}),
    "volume": ((2, 2, 6, 7, 19), {"ksize": [2, 3, 3], "strides": [2, 2, 2], "paddings": [0, 1, 1, 1, 1, 0]}),
    "whole volume": ((1, 4, 3, 5, 9), {"ksize": [3, 5, 9], "strides": [1] * 3, "paddings": [0] * 6}),
    "ceil": ((1, 2, 5, 6), {"ksize": [2, 2], "strides": [2, 4], "paddings": [0, 1, 1, 0], "ceil_mode": True}),
    "dilated line": ((2, 3, 41), {"ksize": [3], "strides": [2], "paddings": [5, 4], "dilations": [4]}),
    "dilated plane": (
        (2, 5, 9, 20), {"ksize": [3, 3], "strides": [1, 1], "paddings": [0, 3, 2, 2], "dilations": [3, 2]},
    ),
    "dilated volume": (
        (1, 2, 6, 7, 19),
        {"ksize": [2, 3, 1], "strides": [2, 1, 3], "paddings": [1, 2, 2, 0, 0, 0], "dilations": [3, 2, 7]},
    ),
    "windows beyond the input": (
        (1, 2, 3, 4), {"ksize": [2, 2], "strides": [1, 1], "paddings": [4, 4, 3, 3], "dilations": [2, 5]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("kind", [("max", True), ("avg", True), ("avg", False)], ids=str)
def test_pool_nd_equals_the_hosts(case: Any, kind: tuple[str, bool]) -> None:
    shape, attrs = case
    attrs = {"dilations": [1] * (len(shape) - 2)} | attrs | {"pooling_type": kind[0], "exclusive": kind[1]}
    x = floats(0, *shape)

    bound = bind("pool_nd", {"X": x}, attrs, outputs={"Out": 1})
    result, _ = bound()
    buffer = np.full_like(result, np.nan)
    bound(out=(buffer, None))

    assert bound.is_compiled
    with np.errstate(invalid="ignore"):
        close(result, bind_unprepared("pool_nd", {"X": x}, attrs)()[0], 1e-5)
    np.testing.assert_array_equal(buffer, result)


def test_nan_is_a_maximum() -> None:
    x = floats(0, 1, 1, 8)
    x[0, 0, 3] = np.nan
    attrs = {"pooling_type": "max", "ksize": [3], "strides": [1], "paddings": [0, 0], "dilations": [1]}

    result, _ = bind("pool_nd", {"X": x}, attrs, outputs={"Out": 1})()

    assert np.isnan(result[0, 0]).tolist() == [False, True, True, True, False, False]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("column_major", [False, True])
def test_indices_of_first_maxima(case: Any, column_major: bool) -> None:
    shape, attrs = case
    attrs = {"dilations": [1] * (len(shape) - 2)} | attrs
    x = np.round(floats(0, *shape) * 2)
    x[x == 0] = -np.inf
    x[x == 1] = np.nan

    results = run_compiled("pool_nd", {"X": x}, attrs | {"pooling_type": "max", "column_major": column_major})

    assert results[1].dtype == np.int64


@pytest.mark.parametrize("outputs", [{"Out": 1}, {"Out": 1, "Indices": 1}], ids=str)
def test_norms_are_left_to_the_host(outputs: dict[str, int]) -> None:
    attrs = {"pooling_type": "lp", "ksize": [3], "strides": [1], "paddings": [0, 0], "dilations": [1]}

    assert not bind("pool_nd", {"X": floats(0, 1, 2, 9)}, attrs, outputs=outputs).is_compiled
