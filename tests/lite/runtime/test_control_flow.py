"""Loops, conditions and tensor arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError, LiteError
from lite.ir.limits import Limits
from lite.runtime import PlanState, Runtime
from lite.runtime.binding import Binding, bind_segment
from lite.runtime.nested import MakeRuntime
from lite.runtime.open_signatures import EXACT
from lite.runtime.segment import Segment
from tests.lite.runtime.run_text import runtime_of


@pytest.fixture(autouse=True, params=["inlined", "nested"])
def _branches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions that are known before a run are resolved then, or taken by the run like all others."""
    if request.param == "nested":
        monkeypatch.setattr("lite.runtime.executor.has_branches", lambda _: False)


LOOP = """
graph main(%x: float32[?], %i: int64[1], %n: int64[1]) {
  %c = less_than(X=%i, Y=%n) : bool[1]
  %c#1, %x#1, %i#1 = while(Condition=%c, X=[%x, %i, %n]) {carried=3} : bool[1], float32[?], int64[1]
    graph block1(%c: bool[1], %x: float32[?], %i: int64[1], %n: int64[1]) {
      %x#1 = scale(X=%x) {scale=2.0} : float32[?]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, x=%x#1, i=%i#1
    }
  return x=%x#1, i=%i#1
}
"""


def test_a_loop_runs_while_its_condition_holds() -> None:
    runtime = runtime_of(LOOP)
    x, i = np.array([1, -2], np.float32), np.array([0])
    for n in (3, 0, 1):
        (y, last), _ = runtime.run([x, i, np.array([n])])
        np.testing.assert_array_equal(y, x * 2**n)
        np.testing.assert_array_equal(last, [n])
        assert not np.shares_memory(y, x)
    np.testing.assert_array_equal(x, np.array([1, -2], np.float32))
    np.testing.assert_array_equal(i, [0])


BRANCHES = """
graph main(%p: bool[1], %x: float32[2]) {
  %not = logical_not(X=%p) : bool[1]
  %a = conditional_block(Cond=%p, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
    graph block1(%x: float32[2]) {
      %a = scale(X=%x) {scale=2.0} : float32[2]
      return %a
    }
  %b = conditional_block(Cond=%not, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
    graph block2(%x: float32[2]) {
      %b = scale(X=%x) {scale=-1.0} : float32[2]
      return %b
    }
  %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
  %y = select_input(X=[%b, %a], Mask=%mask) : float32[2]
  return %y
}
"""


def test_select_input_takes_the_branch_that_ran() -> None:
    runtime = runtime_of(BRANCHES)
    x = np.array([1, 2], np.float32)
    for holds, expected in ((True, 2 * x), (False, -x), (True, 2 * x)):
        np.testing.assert_array_equal(runtime.run([np.array([holds]), x])[0][0], expected)


FOUND = """
graph main(%p: bool[1], %x: float32[4]) {
  %a = conditional_block(Cond=%p, Input=%x) {carried=0, is_scalar_condition=true} : int64[?,1]
    graph block1(%x: float32[4]) {
      %i = where_index(Condition=%x) : int64[?,1]
      %a = scale(X=%i) {scale=2.0} : int64[?,1]
      return %a
    }
  return %a
}
"""


def test_results_of_a_branch_may_follow_from_a_number_that_depends_on_data() -> None:
    runtime = runtime_of(FOUND)
    for x in ([0, 1, 0, 2], [0, 0, 0, 0], [1, 1, 1, 1]):
        given = np.array(x, np.float32)
        (a,), _ = runtime.run([np.array([True]), given])
        np.testing.assert_array_equal(a, 2 * np.argwhere(given))


def _segments(text: str, *args: np.ndarray[Any, Any]) -> int:
    """The segments that a run with these arguments binds."""
    runtime = runtime_of(text)
    runtime.run(list(args))
    return len(list(runtime.segments()))


def test_what_follows_a_block_of_known_shapes_is_bound_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.runtime.executor.has_branches", lambda _: False)
    p, x = np.array([True]), np.array([1, 2], np.float32)
    assert _segments(BRANCHES, p, x) == 1
    assert _segments(LOOP, x, np.array([0]), np.array([3])) == 1
    grows = BRANCHES.replace(
        "%b = scale(X=%x) {scale=-1.0} : float32[2]", "%b = concat(X=[%x, %x]) {axis=0} : float32[4]"
    ).replace("  return %y\n}\n", "  %z = relu(X=%y) : float32[?]\n  return %z\n}\n")
    assert _segments(grows, p, x) == 2
    np.testing.assert_array_equal(runtime_of(grows).run([~p, x])[0][0], [1, 2, 1, 2])


def test_a_branch_that_is_not_taken_may_not_fit_its_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.runtime.executor.has_branches", lambda _: False)
    wrong = BRANCHES.replace(
        "%b = scale(X=%x) {scale=-1.0} : float32[2]", "%b = reshape2(X=%x) {shape=[3]} : float32[3]"
    )
    x = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(runtime_of(wrong).run([np.array([True]), x])[0][0], 2 * x)
    with pytest.raises(LiteError, match="reshape2"):
        runtime_of(wrong).run([np.array([False]), x])


def test_a_block_that_does_not_run_returns_a_copy_of_the_carried_value() -> None:
    runtime = runtime_of(
        """
        graph main(%p: bool[], %x: float32[2]) {
          %x#1 = conditional_block(Cond=%p, Input=%x) {carried=1, is_scalar_condition=true} : float32[2]
            graph block1(%x: float32[2]) {
              %x#1 = scale(X=%x) {scale=2.0} : float32[2]
              return x=%x#1
            }
          %y = relu(X=%x#1) : float32[2]
          return %y, x=%x#1
        }
        """
    )
    x = np.array([-1, 2], np.float32)
    for holds, factor in ((False, 1), (True, 2)):
        (y, carried), _ = runtime.run([np.array(holds), x])
        np.testing.assert_array_equal(y, np.maximum(factor * x, 0))
        np.testing.assert_array_equal(carried, factor * x)
        assert not np.shares_memory(carried, x)


def test_a_condition_of_several_elements_is_refused() -> None:
    with pytest.raises(ExecutionError, match=r"exactly one element, got shape \(2,\)"):
        runtime_of(BRANCHES).run([np.array([True, False]), np.ones(2, np.float32)])


def test_a_loop_that_does_not_end_is_stopped() -> None:
    plan = runtime_of(LOOP).plan
    args = [np.ones(2, np.float32), np.array([0]), np.array([3])]
    np.testing.assert_array_equal(
        Runtime(PlanState(plan, limits=Limits(iterations=3)), "compact").run(args)[0][1], [3]
    )
    with pytest.raises(ExecutionError, match=r"did not end after 2 iterations; .*Limits\(iterations="):
        Runtime(PlanState(plan, limits=Limits(iterations=2)), "compact").run(args)


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The first instructions of the segments that are bound."""
    starts: list[int] = []

    def recorded(binding: Binding, make: MakeRuntime, *, has_lanes: bool) -> Segment:
        starts.append(binding.start)
        return bind_segment(binding, make, has_lanes=has_lanes)

    monkeypatch.setattr("lite.runtime.executor.bind_segment", recorded)
    return starts


def test_a_tensor_array_written_in_a_loop_has_an_element_for_each_iteration(bound: list[int]) -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[2], %i: int64[1], %n: int64[1]) {
          %list = create_array() : tensor_array float32[*]
          %c = less_than(X=%i, Y=%n) : bool[1]
          %c#1, %list#1, %x#1, %i#1 = while(Condition=%c, X=[%list, %x, %i, %n]) {carried=4}
                : bool[1], tensor_array float32[*], float32[2], int64[1]
            graph block1(%c: bool[1], %list: tensor_array float32[*], %x: float32[2], %i: int64[1],
                         %n: int64[1]) {
              %x#1 = scale(X=%x) {scale=2.0} : float32[2]
              %list#1 = write_to_array(X=%x#1, I=%i, Array=%list) : tensor_array float32[*]
              %i#1 = increment(X=%i) {step=1.0} : int64[1]
              %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
              return c=%c#1, list=%list#1, x=%x#1, i=%i#1
            }
          %length = lod_array_length(X=%list#1) : int64[1]
          %one = const int64[1] [1]
          %second = read_from_array(X=%list#1, I=%one) : float32[?]
          %y = relu(X=%second) : float32[?]
          return %length, %second, %y
        }
        """
    )
    x = np.array([1, -1], np.float32)
    counts = []
    for n in (2, 40):
        (length, second, y), _ = runtime.run([x, np.array([0]), np.array([n])])
        np.testing.assert_array_equal(length, [n])
        np.testing.assert_array_equal(second, 4 * x)
        np.testing.assert_array_equal(y, [4, 0])
        counts.append(len(bound))
    # A longer array is bound as a shorter one.
    assert counts[0] == counts[1]


def test_tokens_that_grow_in_some_iterations_are_bound_a_few_times(bound: list[int]) -> None:
    """The state is doubled in each iteration, and its negative in every other one; then a token is added."""
    runtime = runtime_of(
        """
        graph main(%start: int64[?], %h: float32[1,2], %i: int64[1], %n: int64[1]) {
          %c = less_than(X=%i, Y=%n) : bool[1]
          %c#1, %toks#1, %h#1, %i#1 = while(Condition=%c, X=[%start, %h, %i, %n]) {carried=4}
                : bool[1], int64[?], float32[1,2], int64[1]
            graph block1(%c: bool[1], %toks: int64[?], %h: float32[1,2], %i: int64[1], %n: int64[1]) {
              %g = scale(X=%h) {scale=-2.0} : float32[1,2]
              %sum = reduce_sum(X=%g) {dim=[0,1], keep_dim=false, reduce_all=true} : float32[]
              %zero = const float32[] [0.0]
              %p0 = greater_than(X=%sum, Y=%zero) : bool[]
              %p = reshape2(X=%p0) {shape=[1]} : bool[1]
              %not = logical_not(X=%p) : bool[1]
              %ta, %ha = conditional_block(Cond=%p, Input=[%toks, %g, %i])
                    {carried=0, is_scalar_condition=true} : int64[?], float32[1,2]
                graph block2(%toks: int64[?], %g: float32[1,2], %i: int64[1]) {
                  %ta = concat(X=[%toks, %i]) {axis=0} : int64[?]
                  %ha = scale(X=%g) {scale=3.0} : float32[1,2]
                  return %ta, %ha
                }
              %tb, %hb = conditional_block(Cond=%not, Input=[%toks, %g])
                    {carried=0, is_scalar_condition=true} : int64[?], float32[1,2]
                graph block3(%toks: int64[?], %g: float32[1,2]) {
                  return %toks, %g
                }
              %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
              %toks#1 = select_input(X=[%tb, %ta], Mask=%mask) : int64[?]
              %h#1 = select_input(X=[%hb, %ha], Mask=%mask) : float32[1,2]
              %i#1 = increment(X=%i) {step=1.0} : int64[1]
              %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
              return c=%c#1, toks=%toks#1, h=%h#1, i=%i#1
            }
          %y = relu(X=%h#1) : float32[1,2]
          return %toks#1, %h#1, %y
        }
        """
    )
    counts = []
    for n in (30, 32, 40):
        h, tokens = np.array([[1, 2]], np.float64), [7]
        for i in range(n):
            h = -2 * h
            if h.sum() > 0:
                h, tokens = 3 * h, [*tokens, i]
        args = [np.array([7]), np.array([[1, 2]], np.float32), np.array([0]), np.array([n])]
        (found, state, y), _ = runtime.run(args)
        np.testing.assert_array_equal(found, tokens)
        np.testing.assert_allclose(state, h, rtol=1e-5)
        np.testing.assert_allclose(y, np.maximum(h, 0), rtol=1e-5)
        counts.append(len(bound))
    # One segment of each block serves all sizes; what follows the loop is bound to those of this run.
    assert counts == [counts[0], counts[0] + 1, counts[0] + 2]


def test_what_follows_results_of_changing_sizes_is_bound_a_few_times(bound: list[int]) -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[100]) {
          %found = where_index(Condition=%x) : int64[?,1]
          %y = cast(X=%found) {in_dtype=3, out_dtype=5} : float32[?,1]
          %z = relu(X=%y) : float32[?,1]
          return %z
        }
        """
    )
    for count in range(40):
        x = np.zeros(100, np.float32)
        x[:count] = 1
        np.testing.assert_array_equal(runtime.run([x])[0][0], np.arange(count, dtype=np.float32)[:, None])
    assert len(bound) == 1 + EXACT + 1
