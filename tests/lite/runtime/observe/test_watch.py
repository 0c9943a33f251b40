"""Observation of runs: which values the callback gets, and that the results are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.types import Array, Place
from lite.plugin.kernel.target import TARGETS, register_target
from lite.runtime.observe.watch import Observation, watch
from tests.lite.runtime.planted import planted
from tests.lite.runtime.run_text import runtime_of

CHAIN = """
graph main(%x: float32[?,4]) {
  %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %a = elementwise_mul(X=%x, Y=%w) : float32[?,4]
  %b = relu(X=%a) : float32[?,4]
  %v = reshape2(X=%b) {shape=[-1]} : float32[?]
  %s = shape(Input=%b) : int32[2]
  %unread = scale(X=%v) {scale=3.0} : float32[?]
  %y = scale(X=%v) {scale=2.0} : float32[?]
  return %y, %s
}
"""
LOOP = """
graph main(%x: float32[2], %i: int64[1], %n: int64[1]) {
  %c = less_than(X=%i, Y=%n) : bool[1]
  %c#1, %x#1, %i#1 = while(Condition=%c, X=[%x, %i, %n]) {carried=3} : bool[1], float32[2], int64[1]
    graph block1(%c: bool[1], %x: float32[2], %i: int64[1], %n: int64[1]) {
      %x#1 = scale(X=%x) {scale=2.0} : float32[2]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, x=%x#1, i=%i#1
    }
  %y = relu(X=%x#1) : float32[2]
  return %y
}
"""


def observe(text: str, *args: Any, memory: str = "compact") -> tuple[list[Any], list[Observation]]:
    """The results of a watched run, and the observations, with copies of their values."""
    observations: list[Observation] = []

    def see(observation: Observation) -> None:
        value = observation.value
        copy = [item.copy() for item in value] if isinstance(value, list) else np.array(value)
        observations.append(Observation(**{**vars(observation), "value": copy}))

    return watch(runtime_of(text).state, memory, see, args), observations


def named(observations: list[Observation]) -> list[tuple[str, str, list[Any]]]:
    return [(each.op, each.name, np.asarray(each.value).tolist()) for each in observations]


@pytest.mark.parametrize("memory", ["compact", "plain"])
def test_every_value_is_observed_right_after_it_was_written(memory: str) -> None:
    x = np.array([[1, -1, 1, 0]], np.float32)
    (y, s), observations = observe(CHAIN, x, memory=memory)
    assert named(observations) == [
        ("", "x", [[1, -1, 1, 0]]),
        ("elementwise_mul", "a", [[1, -2, 3, 0]]),
        ("relu", "b", [[1, 0, 3, 0]]),
        ("reshape2", "v", [1, 0, 3, 0]),
        ("shape", "s", [1, 4]),
        ("scale", "unread", [3, 0, 9, 0]),
        ("scale", "y", [2, 0, 6, 0]),
    ]
    assert (y.tolist(), s.tolist()) == ([2, 0, 6, 0], [1, 4])


def test_an_observation_names_the_instruction_and_its_inputs() -> None:
    _, observations = observe(CHAIN, np.zeros((2, 4), np.float32))
    argument, product = observations[:2]
    assert (argument.block, argument.position, argument.place, argument.reads) == ("main", -1, None, ())
    assert (product.block, product.position, product.place) == ("main", 0, Place())
    assert (product.reads, list(product.constants)) == (("x", "w"), ["w"])
    np.testing.assert_array_equal(product.constants["w"], [1, 2, 3, 4])


def test_every_iteration_of_a_loop_is_observed() -> None:
    x = np.array([1, -1], np.float32)
    _, observations = observe(LOOP, x, np.array([0]), np.array([2]))
    inner = [each for each in observations if each.block == "block1" and each.name == "x#1"]
    assert [each.value.tolist() for each in inner] == [[2, -2], [4, -4]]
    assert named([each for each in observations if each.block == "main"])[3:] == [
        ("less_than", "c", [True]),
        ("while", "c#1", [False]),
        ("while", "x#1", [4, -4]),
        ("while", "i#1", [2]),
        ("relu", "y", [4, 0]),
    ]


def test_values_of_data_dependent_shape_are_observed() -> None:
    text = """
    graph main(%n: int64[1]) {
      %zero = const int64[1] [0]
      %one = const int64[1] [1]
      %r = range(Start=%zero, End=%n, Step=%one) : int64[?]
      %y = scale(X=%r) {scale=2.0} : int64[?]
      return %y
    }
    """
    _, observations = observe(text, np.array([3]))
    assert named(observations) == [("", "n", [3]), ("range", "r", [0, 1, 2]), ("scale", "y", [0, 2, 4])]


def test_arguments_are_observed_without_any_op() -> None:
    _, observations = observe("graph main(%x: float32[2]) { return %x }", np.array([1, 2], np.float32))
    assert named(observations) == [("", "x", [1, 2])]


def test_watching_does_not_change_other_runtimes() -> None:
    runtime = runtime_of(CHAIN)
    before = runtime.prepare([np.zeros((1, 4), np.float32)])
    steps = list(before.steps)
    watch(runtime.state, "compact", lambda _: None, [np.zeros((1, 4), np.float32)])
    assert runtime.prepare([np.zeros((1, 4), np.float32)]).steps == steps


def test_an_error_in_the_callback_names_the_callback() -> None:
    def fail(observation: Observation) -> None:
        if observation.name == "b":
            raise ValueError("no")

    with pytest.raises(
        ExecutionError, match=r"^the callback of observe failed at relu -> b: ValueError: no$"
    ):
        watch(runtime_of(CHAIN).state, "compact", fail, [np.zeros((1, 4), np.float32)])


@dataclass(frozen=True)
class FarTensor:
    """A tensor of a target with its own memory."""

    array: Array


def far_relu(X: FarTensor) -> FarTensor:
    return FarTensor(np.maximum(X.array, 0))


def far_copy(X: Any, *, destination: str) -> Any:
    return FarTensor(np.array(X)) if destination == "far" else X.array.copy()


def test_values_in_a_targets_own_memory_are_copied_to_the_host() -> None:
    register_target("far", own_memory=True)
    try:
        with planted(far_relu, "relu", "far"), planted(far_copy, "io_copy", "far"):
            text = """
            graph main(%x: float32[2]) {
              %y = relu(X=%x) : float32[2]
              %z = tanh(X=%y) : float32[2]
              return %z
            }
            """
            observations: list[Observation] = []
            runtime = runtime_of(text, target="far")
            watch(runtime.state, "compact", observations.append, [np.array([0, -1], np.float32)])
    finally:
        TARGETS.remove("far")
    assert [(each.op, each.value.tolist()) for each in observations] == [
        ("", [0, -1]),
        ("io_copy", [0, -1]),
        ("relu", [0, 0]),
        ("io_copy", [0, 0]),
        ("tanh", [0, 0]),
    ]
