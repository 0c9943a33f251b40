"""Compared answers of engines."""

from __future__ import annotations

import numpy as np
import pytest

from lite.tools.bench.peers.agreement import difference
from lite.tools.bench.peers.peer import CannotRunError

EXPECTED = [np.array([[1.0, -4.0]], np.float32), np.array([0.5], np.float32)]


def test_the_largest_difference_is_relative_to_the_outputs_largest_value() -> None:
    got = [np.array([[1.0, -4.002]], np.float32), np.array([0.5001], np.float32)]

    assert difference(got, EXPECTED) == pytest.approx(5e-4, rel=1e-3)


def test_equal_answers_have_no_difference() -> None:
    assert difference([array.copy() for array in EXPECTED], EXPECTED) == 0.0
    assert difference([], []) == 0.0


def test_an_empty_output_has_no_difference() -> None:
    empty = np.zeros((0, 3), np.float32)

    assert difference([empty], [empty]) == 0.0


def test_a_wrong_answer_is_refused() -> None:
    with pytest.raises(CannotRunError, match=r"^its answers differ by 1\.0e-02 of the largest value$"):
        difference([EXPECTED[0] + np.float32(0.04), EXPECTED[1]], EXPECTED)


def test_nan_is_a_wrong_answer() -> None:
    with pytest.raises(CannotRunError, match="differ by nan"):
        difference([EXPECTED[0] * np.float32("nan"), EXPECTED[1]], EXPECTED)


def test_other_shapes_and_numbers_of_outputs_are_refused() -> None:
    with pytest.raises(CannotRunError, match=r"shapes \[\(1, 2\), \(1,\)\], got \[\(2,\), \(1,\)\]"):
        difference([EXPECTED[0][0], EXPECTED[1]], EXPECTED)
    with pytest.raises(CannotRunError, match=r", got \[\(1, 2\)\]$"):
        difference(EXPECTED[:1], EXPECTED)
