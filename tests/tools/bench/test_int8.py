"""The page of int8 models has a row for each engine and model."""

from __future__ import annotations

import numpy as np
import pytest

from lite.tools.bench.int8 import Timing, cosine, interleaved, page


def test_functions_take_turns_and_each_is_run_once_before_it_is_timed() -> None:
    calls: list[str] = []

    def called(name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        calls.append(name)
        return np.zeros(1)

    timings = interleaved({("a", "float"): lambda: called("a"), ("b", "int8"): lambda: called("b")}, 2)
    assert calls == ["a", "a", "b", "b"] * 2
    assert list(timings) == [("a", "float"), ("b", "int8")]
    assert all(0 <= each.least <= each.median for each in timings.values())


def test_times_are_relative_to_the_float_model() -> None:
    timings = {("litebridge", "float"): Timing(4.0, 5.0), ("OpenVINO", "int8"): Timing(2.0, 2.5)}
    likeness = {("litebridge", "float"): 1.0, ("OpenVINO", "int8"): 0.99}
    lines = page("det", {"x": np.zeros((1, 3, 8, 8))}, timings, likeness)
    assert lines.splitlines()[0] == "## det, 1×3×8×8"
    assert lines.splitlines()[-2:] == [
        "| float | litebridge | 4.00 | 5.00 | 1.00 | 1.0000 |",
        "| int8 | OpenVINO | 2.00 | 2.50 | 0.50 | 0.9900 |",
    ]


def test_cosine() -> None:
    assert cosine(np.array([[3.0, 4.0]]), np.array([6.0, 8.0])) == pytest.approx(1.0)
    assert cosine(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == 0.0
