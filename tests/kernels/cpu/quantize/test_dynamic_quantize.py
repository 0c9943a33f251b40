"""dynamic_quantize of the target cpu gives the host's integers, scale and zero point."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import as_tuple, bind, bind_unprepared, floats

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

CASES = {
    "both signs": floats(1, 3, 7),
    "many blocks": floats(2, 5, 3001),
    "positive": np.abs(floats(3, 20)) + 1,
    "negative": -np.abs(floats(4, 33)) - 1,
    "zeros": np.zeros((2, 3), np.float32),
    "one number": np.full((), -2.5, np.float32),
}


@pytest.mark.parametrize("x", CASES.values(), ids=CASES)
def test_the_range_decides_the_integers(x: Array) -> None:
    bound = bind("dynamic_quantize", {"X": x}, {}, outputs={"Out": 1, "Scale": 1, "ZeroPoint": 1})
    assert bound.is_compiled
    found, expected = as_tuple(bound()), as_tuple(bind_unprepared("dynamic_quantize", {"X": x}, {})())
    buffers = tuple(np.empty_like(array) for array in expected)
    bound(out=buffers)
    for results in (found, buffers):
        for result, array in zip(results, expected, strict=True):
            assert (result.dtype, result.shape) == (array.dtype, array.shape)
            np.testing.assert_array_equal(result, array)


def test_nothing_is_left_to_the_host() -> None:
    bound = bind(
        "dynamic_quantize",
        {"X": np.empty((0, 3), np.float32)},
        {},
        outputs={"Out": 1, "Scale": 1, "ZeroPoint": 1},
    )
    assert not bound.is_compiled
    assert [array.shape for array in as_tuple(bound())] == [(0, 3), (), ()]
