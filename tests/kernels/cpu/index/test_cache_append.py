"""cache_append against the kernel of the host."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared, floats

SIZES = [(0, 3, 3), (4, 1, 5), (5, 2, 5), (4, 2, 9), (3, 4, 5)]
"""Rows of the past, new rows, and rows that Length asks for."""


@pytest.mark.parametrize(("past", "new", "length"), SIZES)
@pytest.mark.parametrize("starts", [(0, 0), (2, 3), (7, 1), (-1, 5)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rows_after_the_past(past: int, new: int, length: int, starts: tuple[int, int], dtype: str) -> None:
    inputs = {
        "X": floats(1, 2, 3, past, 4).astype(dtype),
        "Updates": floats(2, 2, 3, new, 4).astype(dtype),
        "Starts": np.array(starts),
        "Length": np.array([length], np.int32),
    }
    bound = bind("cache_append", inputs, {}, ["Length"])
    assert bound.is_compiled

    expected = np.zeros((2, 3, max(past, length), 4), dtype)
    for sample, start in enumerate(max(each, 0) for each in starts):
        for row in range(expected.shape[2]):
            if row < min(start, past):
                expected[sample, :, row] = inputs["X"][sample, :, row]
            elif start <= row < start + new:
                expected[sample, :, row] = inputs["Updates"][sample, :, row - start]
    np.testing.assert_array_equal(bound(), expected)
    np.testing.assert_array_equal(bind_unprepared("cache_append", inputs, {})(), expected)


def test_the_host_takes_other_types_of_starts() -> None:
    inputs = {
        "X": floats(1, 1, 1, 2, 4),
        "Updates": floats(2, 1, 1, 1, 4),
        "Starts": np.array([2], np.int32),
        "Length": np.array([3]),
    }

    assert not bind("cache_append", inputs, {}, ["Length"]).is_compiled
