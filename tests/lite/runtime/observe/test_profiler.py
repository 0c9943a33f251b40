"""Profiler: which ops are timed, and how often."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ConfigError
from lite.runtime.observe.profile import Profile
from lite.runtime.observe.profiler import profile_runs
from tests.lite.runtime.observe.test_watch import LOOP
from tests.lite.runtime.planted import SLOW_SECONDS, TARGET, planted, relu_slow
from tests.lite.runtime.run_text import runtime_of

CHAIN = """
graph main(%x: float32[?,4]) {
  %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %a = elementwise_mul(X=%x, Y=%w) : float32[?,4]
  %b = relu(X=%a) : float32[?,4]
  %v = reshape2(X=%b) {shape=[-1]} : float32[?]
  %s = shape(Input=%b) : int32[2]
  %y = tanh(X=%v) : float32[?]
  return %y, %s
}
"""


def profile(text: str, *args: Any, runs: int = 3, warmup: int = 1, target: str = "host") -> Profile:
    return profile_runs(runtime_of(text, target=target).state, "compact", args, (), runs, warmup)


def test_every_op_has_a_row() -> None:
    result = profile(CHAIN, np.zeros((2, 4), np.float32))
    assert [(r.position, r.op, r.output, r.place, r.calls, r.shapes, r.bytes) for r in result.ops] == [
        (0, "elementwise_mul", "a", "host/any/any", 3, "[2,4] [4] -> [2,4]", 80),
        (1, "relu", "b", "host/any/any", 3, "[2,4] -> [2,4]", 64),
        (2, "reshape2", "v", "host/any/any", 0, "[2,4] -> [8]", 0),
        (3, "shape", "s", "host/any/any", 0, "[2,4] -> [2]", 40),
        (4, "tanh", "y", "host/any/any", 3, "[8] -> [8]", 64),
    ]
    assert (len(result.runs), len(result.calls), result.warmup) == (3, 9, 1)


def test_times_are_consistent() -> None:
    result = profile(CHAIN, np.zeros((2, 4), np.float32), runs=5)
    for row in result.ops:
        assert 0 <= row.min_ms <= row.avg_ms <= row.max_ms <= row.total_ms
        assert row.self_ms == row.total_ms
    assert sum(row.share for row in result.ops) == pytest.approx(1)
    assert result.op_ms <= result.wall_ms
    for run, calls in zip(result.runs, np.reshape(np.array(result.calls, object), (5, 3)), strict=True):
        times = [run.start, *(time for call in calls for time in (call.start, call.stop)), run.stop]
        assert times == sorted(times)
        assert [call.op.op for call in calls] == ["elementwise_mul", "relu", "tanh"]


def test_a_slow_op_has_the_longest_time() -> None:
    with planted(relu_slow):
        result = profile(CHAIN, np.zeros((2, 4), np.float32), target=TARGET)
    slowest = max(result.ops, key=lambda row: row.self_ms)
    assert (slowest.op, slowest.place) == ("relu", "planted/any/any")
    assert slowest.min_ms >= SLOW_SECONDS * 1e3
    assert (result.by_type()[0].op, result.by_type()[0].ops) == ("relu", 1)


def test_ops_of_a_loop_follow_it_and_are_called_in_every_iteration() -> None:
    result = profile(LOOP, np.ones(2, np.float32), np.array([0]), np.array([4]), runs=2)
    assert [(row.block, row.depth, row.position, row.op, row.calls) for row in result.ops] == [
        ("main", 0, 0, "less_than", 2),
        ("main", 0, 1, "while", 2),
        ("block1", 1, 0, "scale", 8),
        ("block1", 1, 1, "increment", 8),
        ("block1", 1, 2, "less_than", 8),
        ("main", 0, 2, "relu", 2),
    ]
    loop, inner = result.ops[1], result.ops[2:5]
    assert loop.self_ms == pytest.approx(loop.total_ms - sum(row.total_ms for row in inner))
    assert sum(row.share for row in result.ops) == pytest.approx(1)


def test_data_dependent_shapes_are_those_of_the_latest_call() -> None:
    text = """
    graph main(%n: int64[1]) {
      %zero = const int64[1] [0]
      %one = const int64[1] [1]
      %r = range(Start=%zero, End=%n, Step=%one) : int64[?]
      %y = scale(X=%r) {scale=2.0} : int64[?]
      return %y
    }
    """
    result = profile(text, np.array([3]))
    assert [(row.op, row.calls, row.shapes, row.bytes) for row in result.ops] == [
        ("range", 3, "[1] [1] [1] -> [3]", 48),
        ("scale", 3, "[3] -> [3]", 48),
    ]


def test_a_branch_that_is_not_taken_has_no_rows() -> None:
    text = """
    graph main(%n: float32[], %x: float32[2]) {
      %p = cast(X=%n) {in_dtype=5, out_dtype=0} : bool[]
      %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[2]
        graph block1(%x: float32[2]) {
          %x#1 = scale(X=%x) {scale=2.0} : float32[2]
          return x=%x#1
        }
      %y = relu(X=%x#1) : float32[2]
      return %y
    }
    """
    x = np.ones(2, np.float32)
    no, yes = (profile(text, np.array(n, np.float32), x) for n in (0, 1))
    assert [row.op for row in no.ops] == ["cast", "conditional_block", "relu"]
    assert [row.op for row in yes.ops] == ["cast", "conditional_block", "scale", "relu"]


def test_a_known_branch_is_profiled_as_part_of_the_plan() -> None:
    text = """
    graph main(%x: float32[?], %y: float32[?]) {
      %two = const int32[1] [2] : int32[1]
      %s = shape(Input=%x) : int32[1]
      %p = equal(X=%s, Y=%two) : bool[1]
      %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[?]
        graph block1(%x: float32[?]) {
          %x#1 = scale(X=%x) {scale=2.0} : float32[?]
          return x=%x#1
        }
      %z = relu(X=%x#1) : float32[?]
      return %z
    }
    """
    result = profile(text, np.ones(2, np.float32), np.ones(1, np.float32))
    assert [(row.op, row.depth, row.position) for row in result.ops] == [("scale", 0, 0), ("relu", 0, 1)]
    result = profile(text, np.ones(3, np.float32), np.ones(1, np.float32))
    assert [(row.op, row.depth, row.position) for row in result.ops] == [("relu", 0, 0)]


def test_each_signature_of_a_loop_body_has_its_own_rows() -> None:
    text = """
    graph main(%x: float32[?,1], %i: int64[1], %n: int64[1]) {
      %c = less_than(X=%i, Y=%n) : bool[1]
      %c#1, %x#1, %i#1 = while(Condition=%c, X=[%x, %i, %n]) {carried=3} : bool[1], float32[?,1], int64[1]
        graph block1(%c: bool[1], %x: float32[?,1], %i: int64[1], %n: int64[1]) {
          %two = const int32[1] [2] : int32[1]
          %s = shape(Input=%x) : int32[2]
          %rows = slice(Input=%s) {axes=[0], starts=[0], ends=[1]} : int32[1]
          %p = less_than(X=%rows, Y=%two) : bool[1]
          %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[?,1]
            graph block2(%x: float32[?,1]) {
              %x#1 = concat(X=[%x, %x]) {axis=0} : float32[?,1]
              return x=%x#1
            }
          %x#2 = scale(X=%x#1) {scale=2.0} : float32[?,1]
          %i#1 = increment(X=%i) {step=1.0} : int64[1]
          %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
          return c=%c#1, x=%x#2, i=%i#1
        }
      return x=%x#1
    }
    """
    result = profile(text, np.ones((1, 1), np.float32), np.array([0]), np.array([3]))
    inner = [(row.op, row.position, row.calls) for row in result.ops if row.depth == 1]
    counter = ["increment", "less_than"]
    assert inner == [
        *((op, n, 3) for n, op in enumerate([*counter, "concat", "scale"])),
        *((op, n, 6) for n, op in enumerate([*counter, "scale"])),
    ]


def test_a_model_without_ops_has_an_empty_profile() -> None:
    result = profile("graph main(%x: float32[2]) { return %x }", np.ones(2, np.float32))
    assert (result.ops, result.op_ms) == ([], 0)


@pytest.mark.parametrize(("runs", "warmup"), [(0, 0), (1, -1)])
def test_too_few_runs_are_refused(runs: int, warmup: int) -> None:
    with pytest.raises(ConfigError, match=f"got runs={runs}, warmup={warmup}"):
        profile(CHAIN, np.zeros((2, 4), np.float32), runs=runs, warmup=warmup)
