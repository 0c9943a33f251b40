"""pool_nd against the host's kernel, which plain loops check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared, close, floats

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "line": ((2, 3, 41), {"ksize": [3], "strides": [2], "paddings": [1, 0]}),
    "plane": ((1, 5, 9, 20), {"ksize": [3, 2], "strides": [1, 2], "paddings": [1, 1, 0, 1]}),
    "volume": ((2, 2, 6, 7, 19), {"ksize": [2, 3, 3], "strides": [2, 2, 2], "paddings": [0, 1, 1, 1, 1, 0]}),
    "whole volume": ((1, 4, 3, 5, 9), {"ksize": [3, 5, 9], "strides": [1] * 3, "paddings": [0] * 6}),
    "ceil": ((1, 2, 5, 6), {"ksize": [2, 2], "strides": [2, 4], "paddings": [0, 1, 1, 0], "ceil_mode": True}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("kind", [("max", True), ("avg", True), ("avg", False)], ids=str)
def test_pool_nd_equals_the_hosts(case: Any, kind: tuple[str, bool]) -> None:
    shape, attrs = case
    attrs = attrs | {"pooling_type": kind[0], "exclusive": kind[1], "dilations": [1] * (len(shape) - 2)}
    x = floats(0, *shape)

    bound = bind("pool_nd", {"X": x}, attrs, outputs={"Out": 1})
    result, _ = bound()
    buffer = np.full_like(result, np.nan)
    bound(out=(buffer, None))

    assert bound.is_compiled
    close(result, bind_unprepared("pool_nd", {"X": x}, attrs)()[0], 1e-5)
    np.testing.assert_array_equal(buffer, result)


def test_nan_is_a_maximum() -> None:
    x = floats(0, 1, 1, 8)
    x[0, 0, 3] = np.nan
    attrs = {"pooling_type": "max", "ksize": [3], "strides": [1], "paddings": [0, 0], "dilations": [1]}

    result, _ = bind("pool_nd", {"X": x}, attrs, outputs={"Out": 1})()

    assert np.isnan(result[0, 0]).tolist() == [False, True, True, True, False, False]


@pytest.mark.parametrize("more", [{"dilations": [2]}, {"pooling_type": "lp"}], ids=str)
def test_dilation_and_norms_are_left_to_the_host(more: dict[str, Any]) -> None:
    attrs = {"pooling_type": "avg", "ksize": [3], "strides": [1], "paddings": [0, 0], "dilations": [1]} | more

    assert not bind("pool_nd", {"X": floats(0, 1, 2, 9)}, attrs, outputs={"Out": 1}).is_compiled
