"""Matching and comparing values of two runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Place
from lite.runtime.observe.watch import Observation
from lite.tools.differences import Differences, Recording, ValueDifference, compare_value


def observation(name: str, value: Any, op: str = "relu", block: str = "main") -> Observation:
    return Observation(block, 0 if op else -1, op, Place(), name, value, (), (), {})


def differences(a: list[Observation], b: list[Observation]) -> Differences:
    recording = Recording()
    for each in a:
        recording.see(each)
    found = Differences(recording, 1e-3)
    for each in b:
        found.see(each)
    return found


ONE, TWO = np.array([1.0, 2.0], np.float32), np.array([1.0, 2.5], np.float32)


def test_equal_runs() -> None:
    run = [observation("a", ONE), observation("b", TWO, "tanh")]
    found = differences(run, run)
    assert found.matched == [
        ValueDifference("main", "a", "relu", "relu", 0.0, None),
        ValueDifference("main", "b", "tanh", "tanh", 0.0, None),
    ]
    assert (found.first, found.only_a, found.only_b) == (None, [], [])


def test_the_first_that_differs_is_so_in_the_order_of_b() -> None:
    a = [observation("p", ONE), observation("q", ONE), observation("r", ONE)]
    b = [observation("r", ONE), observation("q", TWO, "fc"), observation("p", TWO)]
    found = differences(a, b)
    assert found.first == ValueDifference("main", "q", "relu", "fc", 0.25, "above 0.001")
    assert [each.name for each in found.matched] == ["r", "q", "p"]


def test_values_of_one_side_only() -> None:
    found = differences(
        [observation("a", ONE), observation("mul", ONE, "mul")],
        [observation("a", ONE), observation("mul", ONE, "mul", "block1")],
    )
    assert found.only_a == [ValueDifference("main", "mul", "mul", "", None, None)]
    assert found.only_b == [ValueDifference("block1", "mul", "", "mul", None, None)]


def test_turns_of_a_loop_are_matched_one_by_one() -> None:
    turns = [observation("a", ONE, block="block1"), observation("a", TWO, block="block1")]
    same = differences(turns, turns)
    assert same.matched == [ValueDifference("block1", "a", "relu", "relu", 0.0, None)]
    assert same.matched[0].title == "block1: a"
    swapped = differences(turns, turns[::-1])
    assert swapped.matched == [ValueDifference("block1", "a", "relu", "relu", 0.25, "above 0.001")]
    more = differences(turns[:1], turns)
    assert more.matched == [ValueDifference("block1", "a", "relu", "relu", None, "A writes it 1 times only")]


def test_buffers_that_are_written_again_are_no_obstacle() -> None:
    buffer = ONE.copy()
    recording = Recording()
    recording.see(observation("a", buffer))
    buffer[:] = 0
    found = Differences(recording, 1e-3)
    found.see(observation("a", ONE))
    assert found.first is None


def test_arguments_are_no_values() -> None:
    found = differences([observation("x", ONE, "")], [observation("x", TWO, "")])
    assert (found.matched, found.only_a, found.only_b) == ([], [], [])


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
        ([ONE], ONE, None, "a tensor on one side, a tensor array on the other"),
        ([], [], 0.0, None),
    ],
)
def test_compare_value(got: Any, expected: Any, error: float | None, problem: str | None) -> None:
    found = compare_value("y", got, expected, 1e-3)
    assert (found.error, found.problem) == (error, problem)
