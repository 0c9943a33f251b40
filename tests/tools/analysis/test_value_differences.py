"""Matched and compared values of two runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Place
from lite.runtime.observe.watch import Observation
from lite.tools.analysis.value_differences import Differences, Recording, ValueDifference, compare_value


def observation(name: str, value: Any, op: str = "relu", block: str = "main") -> Observation:
    return Observation(block, 0 if op else -1, op, Place(), name, value, (), (), {})


def differences(a: list[Observation], b: list[Observation]) -> Differences:
    recording = Recording()
    for each in a:
        recording.see(each)
    result = Differences(recording, 1e-3)
    for each in b:
        result.see(each)
    return result


ONE, TWO = np.array([1.0, 2.0], np.float32), np.array([1.0, 2.5], np.float32)


def test_equal_runs_have_no_difference() -> None:
    run = [observation("a", ONE), observation("b", TWO, "tanh")]
    result = differences(run, run)
    assert result.matched == [
        ValueDifference("main", "a", "relu", "relu", 0.0, None),
        ValueDifference("main", "b", "tanh", "tanh", 0.0, None),
    ]
    assert (result.first, result.only_a, result.only_b) == (None, [], [])


def test_the_first_difference_is_the_first_that_b_writes() -> None:
    a = [observation("p", ONE), observation("q", ONE), observation("r", ONE)]
    b = [observation("r", ONE), observation("q", TWO, "fc"), observation("p", TWO)]
    result = differences(a, b)
    assert result.first == ValueDifference("main", "q", "relu", "fc", 0.25, "above 0.001")
    assert [each.name for each in result.matched] == ["r", "q", "p"]


def test_values_of_one_side_are_listed() -> None:
    result = differences(
        [observation("a", ONE), observation("mul", ONE, "mul")],
        [observation("a", ONE), observation("mul", ONE, "mul", "block1")],
    )
    assert result.only_a == [ValueDifference("main", "mul", "mul", "", None, None)]
    assert result.only_b == [ValueDifference("block1", "mul", "", "mul", None, None)]


def test_the_writes_of_a_loop_are_matched_one_by_one() -> None:
    writes = [observation("a", ONE, block="block1"), observation("a", TWO, block="block1")]
    same = differences(writes, writes)
    assert same.matched == [ValueDifference("block1", "a", "relu", "relu", 0.0, None)]
    assert same.matched[0].title == "block1: a"
    swapped = differences(writes, writes[::-1])
    assert swapped.matched == [ValueDifference("block1", "a", "relu", "relu", 0.25, "above 0.001")]
    more = differences(writes[:1], writes)
    assert more.matched == [ValueDifference("block1", "a", "relu", "relu", None, "A writes it only 1 times")]


def test_the_recording_copies_values() -> None:
    buffer = ONE.copy()
    recording = Recording()
    recording.see(observation("a", buffer))
    buffer[:] = 0
    result = Differences(recording, 1e-3)
    result.see(observation("a", ONE))
    assert result.first is None


def test_arguments_are_not_compared() -> None:
    result = differences([observation("x", ONE, "")], [observation("x", TWO, "")])
    assert (result.matched, result.only_a, result.only_b) == ([], [], [])


@pytest.mark.parametrize(
    ("got", "expected", "error", "problem"),
    [
        (ONE.astype(np.float16), ONE, 0.0, None),
        (ONE.astype(np.int64), ONE, None, "expected float32, got int64"),
        (ONE.astype(np.int64), TWO.astype(np.int64), 0.0, None),
        (ONE.reshape(2, 1), ONE, None, "expected shape [2], got [2, 1]"),
        ([ONE, TWO], [ONE, TWO], 0.0, None),
        ([ONE, TWO], [ONE, ONE], 0.25, "above 0.001"),
        ([ONE], [ONE, TWO], None, "expected 2 tensors, got 1"),
        ([ONE], ONE, None, "one side is a tensor, the other a tensor array"),
        ([], [], 0.0, None),
    ],
)
def test_values_are_compared_by_type_shape_and_elements(
    got: Any, expected: Any, error: float | None, problem: str | None
) -> None:
    result = compare_value("y", got, expected, 1e-3)
    assert (result.error, result.problem) == (error, problem)
