"""Loops whose number of iterations is known become the ops of all iterations."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph, print_graph
from tests.lite.passes.check import check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused
from tests.lite.runtime.run_text import runtime_of

PASS = "unroll_loops_pass"

LOOP = """
graph main(%x: float32[2]) {
  %i = const int64[1] [0] : int64[1]
  %n = const int64[1] [TRIPS] : int64[1]
  %c = const bool[1] [FIRST] : bool[1]
  %c#1, %x#1, %i#1 = while(Condition=%c, X=[%x, %i, %n]) {carried=3} : bool[1], float32[2], int64[1]
    graph block1(%c: bool[1], %x: float32[2], %i: int64[1], %n: int64[1]) {
      %w = const float32[2] [1.5, -3.0] : float32[2]
      %x#1 = elementwise_mul(X=%x, Y=%w) : float32[2]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, x=%x#1, i=%i#1
    }
  return x=%x#1
}
"""

STEP = ["elementwise_mul"]


def loop(trips: int, first: str = "true") -> str:
    return LOOP.replace("TRIPS", str(trips)).replace("FIRST", first)


@pytest.mark.parametrize("trips", [1, 3, 20])
def test_a_loop_with_a_known_number_of_iterations(trips: int) -> None:
    check_fused(PASS, loop(trips), STEP * trips)


@pytest.mark.parametrize("text", [loop(3, "false"), loop(200)], ids=["no iteration", "too many"])
def test_other_numbers_stay(text: str) -> None:
    check_unchanged(PASS, text)


def test_a_limit_that_is_computed_stays() -> None:
    text = loop(3).replace("  %n = const int64[1] [3] : int64[1]\n", "")

    check_unchanged(PASS, text.replace("(%x: float32[2]) {\n  %i", "(%x: float32[2], %n: int64[1]) {\n  %i"))


def test_a_condition_on_the_values_stays() -> None:
    text = loop(3).replace("less_than(X=%i#1, Y=%n)", "less_than(X=%t, Y=%w1)")
    more = "%t = reduce_sum(X=%x#1) {dim=[0], keep_dim=true} : float32[1]\n"
    text = text.replace(
        "%c#1 = less", f"%w1 = const float32[1] [9.0] : float32[1]\n      {more}      %c#1 = less"
    )

    check_unchanged(PASS, text)


TYPES = "bool[1], float32[2], tensor_array float32[*], int64[1]"
ARRAY = """
graph main(%x: float32[2]) {
  %i = const int64[1] [0] : int64[1]
  %n = const int64[1] [3] : int64[1]
  %c = const bool[1] [true] : bool[1]
  %a = create_array() : tensor_array float32[*]
  %c#1, %x#1, %a#1, %i#1 = while(Condition=%c, X=[%x, %a, %i, %n]) {carried=4} : TYPES
    graph block1(%c: bool[1], %x: float32[2], %a: tensor_array float32[*], %i: int64[1], %n: int64[1]) {
      %x#1 = scale(X=%x) {scale=2.0} : float32[2]
      %a#1 = write_to_array(X=%x#1, I=%i, Array=%a) : tensor_array float32[*]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, x=%x#1, a=%a#1, i=%i#1
    }
  %y = stack_array(X=%a#1) {axis=AXIS, reverse=REVERSE} : float32[*]
  return y=%y
}
"""


@pytest.mark.parametrize(("axis", "reverse"), [(0, "false"), (1, "true"), (-1, "false")])
def test_an_array_that_is_only_stacked(axis: int, reverse: str) -> None:
    text = ARRAY.replace("TYPES", TYPES).replace("AXIS", str(axis)).replace("REVERSE", reverse)

    graph, x = parse_graph(text), np.array([1, -2], np.float32)

    assert run_pass(PASS, graph)

    assert [node.op for node in graph] == ["scale"] * 3 + ["stack"]
    [expected], _ = runtime_of(text).run([x])
    [result], _ = runtime_of(print_graph(graph)).run([x])
    np.testing.assert_array_equal(result, expected)


def test_an_array_that_is_also_a_result_is_written() -> None:
    text = ARRAY.replace("TYPES", TYPES).replace("AXIS", "0").replace("REVERSE", "false")
    text = text.replace("return y=%y", "return y=%y, a=%a#1")
    graph = parse_graph(text)

    assert run_pass(PASS, graph)

    ops = [node.op for node in graph]
    assert "while" not in ops
    assert ops.count("write_to_array") == 3
    assert ops[-1] == "stack_array"
