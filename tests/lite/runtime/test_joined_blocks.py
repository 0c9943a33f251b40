"""Loops and branches whose ops only launch run without Python, and equal ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest

import lite
from lite.errors import ExecutionError
from lite.ir.limits import Limits
from lite.ir.types import Array
from lite.runtime import control_flow

pytest.importorskip("numba", reason="only compiled kernels launch")
onnxruntime = pytest.importorskip("onnxruntime")

HEAD = '<ir_version: 8, opset_import: ["" : 17]>'

BRANCH = """agraph (float[2, 3] x, bool c) => (float[2, 3] y) {
  a = If (c) <
    then_branch = then () => (float[2, 3] t) { s = Sigmoid (x)  t = Mul (s, x) },
    else_branch = other () => (float[2, 3] e) { e = Identity (x) }
  >
  y = Relu (a)
}"""

TWO_RESULTS = """agraph (float[2, 3] x, bool c) => (float[2, 3] y, float[2, 3] z) {
  y, z = If (c) <
    then_branch = then () => (float[2, 3] t, float[2, 3] u) { t = Relu (x)  u = Identity (t) },
    else_branch = other () => (float[2, 3] e, float[2, 3] f) { e = Identity (x)  f = Identity (x) }
  >
}"""

LOOP = """agraph (float[2, 3] x, int64 n, float limit) => (float[2, 3] y, float[2, 3] z, int64 count)
  <int64 one = {1}, int64 zero = {0}, bool true = {1}, float half = {0.5}> {
  y, z, count = Loop (n, true, x, x, zero) <
    body = body (int64 i, bool go, float[2, 3] a, float[2, 3] b, int64 k)
        => (bool on, float[2, 3] d, float[2, 3] e, int64 m) {
      d = Identity (b)
      h = Mul (a, half)
      e = Tanh (h)
      m = Add (k, one)
      total = ReduceSum <keepdims = 0> (e)
      on = Greater (total, limit)
    }
  >
}"""

NESTED = """agraph (float[2, 3] x, int64 n) => (float[2, 3] y)
  <int64 two = {2}, int64 zero = {0}, bool true = {1}> {
  y = Loop (n, true, x) <
    body = body (int64 i, bool go, float[2, 3] a) => (bool on, float[2, 3] d) {
      rest = Sub (i, two)
      is_late = Greater (rest, zero)
      d = If (is_late) <
        then_branch = then () => (float[2, 3] t) { t = Tanh (a) },
        else_branch = other () => (float[2, 3] e) {
          inner = Loop (two, true, a) <
            body = deep (int64 j, bool on_, float[2, 3] p) => (bool on2, float[2, 3] q) {
              q = Add (p, x)
              on2 = Identity (on_)
            }
          >
          e = Sigmoid (inner)
        }
      >
      on = Identity (go)
    }
  >
}"""

TAKE = """agraph (float[4, 3] x, int64[2] which, int64 n) => (float[3] y)
  <int64 zero = {0}, bool true = {1}, float[3] start = {0, 0, 0}> {
  y = Loop (n, true, start) <
    body = body (int64 i, bool go, float[3] a) => (bool on, float[3] d) {
      at = Gather <axis = 0> (which, i)
      row = Gather <axis = 0> (x, at)
      d = Add (a, row)
      on = Identity (go)
    }
  >
}"""


BAGS = """agraph (float[6, 2] x, int64[4] first, int64 n) => (float[3, 2] y)
  <int64 zero = {0}, int64 one = {1}, int64 two = {2}, bool true = {1}, int64[1] top = {0},
   int64[1] one_ = {1}, float[1, 2] none = {0, 0}> {
  empty = SequenceEmpty <dtype = 1> ()
  rows, last = Loop (n, true, empty, zero) <
    body = body (int64 i, bool go, seq(float[1, c]) before, int64 k)
        => (bool on, seq(float[1, c]) after, int64 m) {
      at = Unsqueeze (k, top)
      next = Add (at, one_)
      beyond = Add (next, one_)
      begin = Slice (first, at, next)
      end = Slice (first, next, beyond)
      is_empty = Equal (begin, end)
      row = If (is_empty) <
        then_branch = then () => (float[1, c] t) { t = Identity (none) },
        else_branch = other () => (float[1, c] e) {
          part = Slice (x, begin, end)
          is_last = Equal (k, two)
          e = If (is_last) <
            then_branch = sum_of () => (float[1, c] u) { u = ReduceSum (part, top) },
            else_branch = mean_of () => (float[1, c] v) { v = ReduceMean <axes = [0]> (part) }
          >
        }
      >
      after = SequenceInsert (before, row)
      m = Add (k, one)
      on = Identity (go)
    }
  >
  y = ConcatFromSequence <axis = 0> (rows)
}"""


GREEDY = """agraph (float[20, 4] x, int64 n, int64 m) => (int64[k] y)
  <int64[1] top = {0}, int64[1] one = {1}, bool true = {1}, float[1, 4] start = {0, 0, 0, 0}> {
  none = Slice (one, one, one)
  y, last = Loop (n, true, none, start) <
    body = body (int64 i, bool go, int64[k] before, float[1, 4] h)
        => (bool on, int64[j] after, float[1, 4] g) {
      at = Unsqueeze (i, top)
      next = Add (at, one)
      row = Slice (x, at, next)
      sum = Add (row, h)
      place = ArgMax <axis = -1, keepdims = 0> (sum)
      rest = Mod (place, m)
      is_new = Cast <to = 9> (rest)
      flag = Squeeze (is_new)
      after, g = If (flag) <
        then_branch = then () => (int64[a] t, float[1, 4] u) {
          t = Concat <axis = 0> (before, place)
          u = Tanh (sum)
        },
        else_branch = other () => (int64[b] e, float[1, 4] v) { e = Identity (before)  v = Identity (h) }
      >
      on = Identity (go)
    }
  >
}"""


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def scalar(number: Any) -> Array:
    return np.array(number)


CASES: dict[str, tuple[str, list[Mapping[str, Array]]]] = {
    "a branch": (BRANCH, [{"x": numbers(2, 3, seed=n), "c": scalar(n % 3 > 0)} for n in range(6)]),
    "results that are arguments": (
        TWO_RESULTS,
        [{"x": numbers(2, 3, seed=n), "c": scalar(n % 2 > 0)} for n in range(4)],
    ),
    "a loop that exchanges its values": (
        LOOP,
        [
            {"x": numbers(2, 3, seed=n) + 1, "n": scalar(n), "limit": np.array(limit, np.float32)}
            for n, limit in [(4, -9), (0, -9), (1, -9), (7, 1.5), (3, 99), (5, 0)]
        ],
    ),
    "a branch and a loop in a loop": (
        NESTED, [{"x": numbers(2, 3, seed=n), "n": scalar(n)} for n in (5, 1, 0, 3, 6)]
    ),
    "elements by index": (
        TAKE,
        [
            {"x": numbers(4, 3, seed=n), "which": np.array([n % 4, -1]), "n": scalar(n % 3)}
            for n in (2, 5, 3, 8)
        ],
    ),
}  # fmt: skip


def model_of(text: str) -> bytes:
    return onnx.parser.parse_model(f"{HEAD} {text}").SerializeToString()


def predictor(text: str, **settings: Any) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model_buffer=model_of(text), compilation="wait", **settings))


def without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every run of a block by Python fail."""

    def fail(*_: object) -> None:
        raise AssertionError("Python runs a block")

    for kind in (control_flow._While, control_flow._Conditional):
        monkeypatch.setattr(kind, "__call__", fail)


@pytest.mark.parametrize("case", CASES)
def test_results(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, feeds = CASES[case]
    model, session = predictor(text), onnxruntime.InferenceSession(model_of(text))
    for n, feed in enumerate([*feeds, *feeds]):
        if n == 1:
            without_python(monkeypatch)
        results = model.run(feed)
        for result, expected in zip(results.values(), session.run(None, dict(feed)), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)


def test_two_views_of_a_result_are_no_reason_to_run_step_by_step() -> None:
    model = predictor(
        """agraph (float[3, 4] x) => (float[3, 4] s, float[3, 3, 4] y)
             <int64[1] top = {0}, int64[1] one = {1}> {
             s = Relu (x)  u = Unsqueeze (s, one)  v = Unsqueeze (s, top)  y = Add (u, v)
           }"""
    )
    for n in range(4):
        x = numbers(3, 4, seed=n)
        results, kept = model.run({"x": x}), np.maximum(x, 0)
        np.testing.assert_array_equal(results["s"], kept)
        np.testing.assert_array_equal(results["y"], kept[:, None] + kept)

    (segment,) = model._runtime.segments()
    assert segment.joined is not None


def test_results_of_branches_in_branches_may_be_dropped() -> None:
    model, session = predictor(BAGS), onnxruntime.InferenceSession(model_of(BAGS))
    for n, first in enumerate([[0, 2, 4, 6], [0, 0, 3, 5], [1, 2, 2, 2], [0, 3, 4, 6]]):
        feed = {"x": numbers(6, 2, seed=n), "first": np.array(first), "n": scalar(3)}
        (expected,) = session.run(None, feed)
        np.testing.assert_allclose(model.run(feed)["y"], expected, rtol=1e-6, atol=1e-6)


def test_a_branch_that_is_not_taken_may_grow_a_value() -> None:
    model, session = predictor(GREEDY), onnxruntime.InferenceSession(model_of(GREEDY))
    for n in (20, 20, 9, 20, 9):
        feed = {"x": numbers(20, 4), "n": scalar(n), "m": scalar(3)}
        (expected,) = session.run(None, feed)
        np.testing.assert_array_equal(model.run(feed)["y"], expected)


def test_results_of_earlier_runs_stay() -> None:
    text, feeds = CASES["a loop that exchanges its values"]
    model = predictor(text)
    results = [model.run(feed) for feed in feeds]
    copies = [{name: array.copy() for name, array in each.items()} for each in results]
    for feed in feeds:
        model.run(feed)
    for each, copy in zip(results, copies, strict=True):
        for name, array in each.items():
            np.testing.assert_array_equal(array, copy[name])


def test_clones_have_memory_of_their_own() -> None:
    text, feeds = CASES["a branch and a loop in a loop"]
    model = predictor(text)
    model.run(feeds[0])
    other = model.clone()
    for feed in feeds:
        (first,), (second,) = model.run(feed).values(), other.run(feed).values()
        np.testing.assert_array_equal(first, second)
        assert not np.shares_memory(first, second)


def test_a_loop_without_an_end_is_stopped() -> None:
    model = predictor(LOOP, limits=Limits(iterations=50))
    feed = {"x": numbers(2, 3), "n": scalar(10), "limit": np.array(-9, np.float32)}
    expected = model.run(feed)["y"]
    for _ in range(2):
        with pytest.raises(ExecutionError, match="did not end after 50 iterations"):
            model.run({**feed, "n": scalar(10**9)})
        np.testing.assert_array_equal(model.run(feed)["y"], expected)


def test_an_index_outside_is_an_error_of_its_op() -> None:
    text, [feed, *_] = CASES["elements by index"]
    model = predictor(text)
    expected = model.run(feed)["y"]
    for _ in range(2):
        with pytest.raises(ExecutionError, match=r"Index: expected -4 to 3, got 4"):
            model.run({**feed, "which": np.array([4, 0])})
        np.testing.assert_array_equal(model.run(feed)["y"], expected)
