"""Values that no node reads are removed."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.support.interpreter.tensors import run_graph

PASS = "dead_code_elimination_pass"


def test_unread_chains_and_constants_are_removed_but_not_arguments() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1], %unread: float32[1]) {
          %w = const float32[1] [2.0]
          %v = const float32[1] [3.0]
          %a = elementwise_mul(X=%unread, Y=%w)
          %b = relu(X=%a)
          %c = elementwise_mul(X=%x, Y=%v)
          return %c
        }
        """,
        """
        graph main(%x: float32[1], %unread: float32[1]) {
          %v = const float32[1] [3.0]
          %c = elementwise_mul(X=%x, Y=%v)
          return %c
        }
        """,
    )


def test_effects_and_kept_values_are_not_removed() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[1]) {
          %a = relu(X=%x)
          print(In=%a) effect
          %kept = tanh(X=%x)
          %y = sigmoid(X=%x)
          return %y, %kept
        }
        """,
    )


def test_an_unread_loop_is_removed() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[1]) {
          %c#1, %x#1 = while(Condition=%c, X=%x) {carried=2}
            graph block1(%c: bool[1], %x: float32[1]) {
              %y = relu(X=%x)
              return c=%c, x=%y
            }
          return %x
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[1]) {
          return %x
        }
        """,
    )


def test_a_loop_keeps_only_values_that_its_results_need() -> None:
    """b and d only serve themselves and each other; e serves a; r is read, u is not."""
    before = """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1],
                   %d: float32[1], %e: float32[1], %r: float32[1], %u: float32[1]) {
          %c#1, %a#1, %b#1, %d#1, %e#1 = while(Condition=%c, X=[%a, %b, %d, %e, %r, %u]) {carried=5}
            graph block1(%c: bool[1], %a: float32[1], %b: float32[1],
                         %d: float32[1], %e: float32[1], %r: float32[1], %u: float32[1]) {
              %b#1 = relu(X=%d)
              %d#1 = tanh(X=%b)
              %e#1 = elementwise_add(X=%e, Y=%r)
              %a#1 = elementwise_add(X=%a, Y=%e#1)
              %unread = relu(X=%u)
              %c#1 = less_than(X=%a#1, Y=%r)
              return c=%c#1, a=%a#1, b=%b#1, d=%d#1, e=%e#1
            }
          return %a#1
        }
        """
    after = """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1],
                   %d: float32[1], %e: float32[1], %r: float32[1], %u: float32[1]) {
          %c#1, %a#1, %e#1 = while(Condition=%c, X=[%a, %e, %r]) {carried=3}
            graph block1(%c: bool[1], %a: float32[1], %e: float32[1], %r: float32[1]) {
              %e#1 = elementwise_add(X=%e, Y=%r)
              %a#1 = elementwise_add(X=%a, Y=%e#1)
              %c#1 = less_than(X=%a#1, Y=%r)
              return c=%c#1, a=%a#1, e=%e#1
            }
          return %a#1
        }
        """
    feeds = {name: np.array([0.5], np.float32) for name in "abdeu"}
    feeds |= {"c": np.array([True]), "r": np.array([20.0], np.float32)}
    expected = run_graph(parse_graph(before), feeds)

    graph = check(PASS, before, after)

    np.testing.assert_array_equal(run_graph(graph, feeds)["a"], expected["a"])


def test_a_carried_value_returned_in_another_place_is_kept() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %c#1, %a#1, %b#1 = while(Condition=%c, X=[%a, %b]) {carried=3}
            graph block1(%c: bool[1], %a: float32[1], %b: float32[1]) {
              %c#1 = less_than(X=%a, Y=%b)
              return c=%c#1, a=%b, b=%a
            }
          return %a#1
        }
        """,
    )


def test_values_that_a_loop_carries_unchanged_are_read_from_outside() -> None:
    before = """
        graph main(%c: bool[1], %a: float32[1], %w: float32[1], %r: float32[1]) {
          %c#1, %a#1, %w#1, %r#1 = while(Condition=%c, X=[%a, %w, %r]) {carried=4}
            graph block1(%c: bool[1], %a: float32[1], %w: float32[1], %r: float32[1]) {
              %a#1 = elementwise_add(X=%a, Y=%w)
              %c#1 = less_than(X=%a#1, Y=%r)
              return c=%c#1, a=%a#1, w=%w, r=%r
            }
          %y = elementwise_mul(X=%a#1, Y=%w#1)
          return %y, %r#1
        }
        """
    after = """
        graph main(%c: bool[1], %a: float32[1], %w: float32[1], %r: float32[1]) {
          %c#1, %a#1 = while(Condition=%c, X=[%a, %w, %r]) {carried=2}
            graph block1(%c: bool[1], %a: float32[1], %w: float32[1], %r: float32[1]) {
              %a#1 = elementwise_add(X=%a, Y=%w)
              %c#1 = less_than(X=%a#1, Y=%r)
              return c=%c#1, a=%a#1
            }
          %y = elementwise_mul(X=%a#1, Y=%w)
          return %y, r=%r
        }
        """
    numbers = {"a": 0.5, "w": 3.0, "r": 20.0}
    feeds = {"c": np.array([True])} | {name: np.array([n], np.float32) for name, n in numbers.items()}
    expected = run_graph(parse_graph(before), feeds)

    graph = check(PASS, before, after)

    results = run_graph(graph, feeds)
    assert list(results) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(results[name], array)


def test_values_that_a_branch_returns_unchanged_are_those_before_it() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %a#1, %b#1 = conditional_block(Cond=%c, Input=[%a, %b]) {carried=2}
            graph block1(%a: float32[1], %b: float32[1]) {
              %a#1 = elementwise_add(X=%a, Y=%b)
              return a=%a#1, b=%b
            }
          %y = elementwise_mul(X=%a#1, Y=%b#1)
          return %y
        }
        """,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %a#1 = conditional_block(Cond=%c, Input=[%a, %b]) {carried=1}
            graph block1(%a: float32[1], %b: float32[1]) {
              %a#1 = elementwise_add(X=%a, Y=%b)
              return a=%a#1
            }
          %y = elementwise_mul(X=%a#1, Y=%b)
          return %y
        }
        """,
    )


def test_values_that_effects_in_a_loop_read_are_kept() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %c#1, %a#1, %b#1 = while(Condition=%c, X=[%a, %b]) {carried=3} effect
            graph block1(%c: bool[1], %a: float32[1], %b: float32[1]) {
              print(In=%a) effect
              %a#1 = relu(X=%a)
              %b#1 = relu(X=%b)
              return c=%c, a=%a#1, b=%b#1
            }
          return %c
        }
        """,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %c#1, %a#1 = while(Condition=%c, X=%a) {carried=2} effect
            graph block1(%c: bool[1], %a: float32[1]) {
              print(In=%a) effect
              %a#1 = relu(X=%a)
              return c=%c, a=%a#1
            }
          return %c
        }
        """,
    )


CONDITION = """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1], %r: float32[1]) {
          %a#1, %b#1, %n, %m = conditional_block(Cond=%c, Input=[%a, %b, %r]) {carried=2}
            graph block1(%a: float32[1], %b: float32[1], %r: float32[1]) {
              %a#1 = relu(X=%a)
              %b#1 = elementwise_add(X=%b, Y=%a)
              %n = relu(X=%b)
              %m = tanh(X=%r)
              return a=%a#1, b=%b#1, n=%n, m=%m
            }
          return RESULTS
        }
        """


@pytest.mark.parametrize(
    ("results", "after"),
    [
        (
            "%b#1",
            """
            %b#1 = conditional_block(Cond=%c, Input=[%b, %a]) {carried=1}
              graph block1(%b: float32[1], %a: float32[1]) {
                %b#1 = elementwise_add(X=%b, Y=%a)
                return b=%b#1
              }
            """,
        ),
        (
            "%n",
            """
            %n = conditional_block(Cond=%c, Input=%b) {carried=0}
              graph block1(%b: float32[1]) {
                %n = relu(X=%b)
                return n=%n
              }
            """,
        ),
        (
            "%a#1, %m",
            """
            %a#1, %m = conditional_block(Cond=%c, Input=[%a, %r]) {carried=1}
              graph block1(%a: float32[1], %r: float32[1]) {
                %a#1 = relu(X=%a)
                %m = tanh(X=%r)
                return a=%a#1, m=%m
              }
            """,
        ),
        ("%a", ""),
    ],
)
@pytest.mark.parametrize("met", [True, False])
def test_a_condition_keeps_only_values_that_are_read(results: str, after: str, met: bool) -> None:
    before = CONDITION.replace("RESULTS", results)
    head = "graph main(%c: bool[1], %a: float32[1], %b: float32[1], %r: float32[1]) {"

    graph = check(PASS, before, f"{head} {after} return {results} }}")

    feeds = {name: np.array([n + 0.5], np.float32) for n, name in enumerate("abr")}
    feeds["c"] = np.array([True])
    if met:
        expected = run_graph(parse_graph(before), feeds)
        actual = run_graph(graph, feeds)
        assert {name: array.tolist() for name, array in actual.items()} == {
            name: array.tolist() for name, array in expected.items()
        }


def test_values_unread_across_nested_loops_are_removed() -> None:
    """No node reads the inner loop's second value, so the outer loop need not carry it either."""
    check(
        PASS,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %c#1, %a#1, %b#1 = while(Condition=%c, X=[%a, %b]) {carried=3}
            graph block1(%c: bool[1], %a: float32[1], %b: float32[1]) {
              %c#1, %a#1, %b#1 = while(Condition=%c, X=[%a, %b]) {carried=3}
                graph block2(%c: bool[1], %a: float32[1], %b: float32[1]) {
                  %a#1 = relu(X=%a)
                  %b#1 = relu(X=%b)
                  return c=%c, a=%a#1, b=%b#1
                }
              return c=%c#1, a=%a#1, b=%b#1
            }
          return %a#1
        }
        """,
        """
        graph main(%c: bool[1], %a: float32[1], %b: float32[1]) {
          %c#1, %a#1 = while(Condition=%c, X=%a) {carried=2}
            graph block1(%c: bool[1], %a: float32[1]) {
              %c#1, %a#1 = while(Condition=%c, X=%a) {carried=2}
                graph block2(%c: bool[1], %a: float32[1]) {
                  %a#1 = relu(X=%a)
                  return c=%c, a=%a#1
                }
              return c=%c, a=%a#1
            }
          return %a#1
        }
        """,
    )


def test_unread_outputs_of_other_ops_are_kept() -> None:
    graph = parse_graph("graph main(%x: float32[2,2]) { %a, %b = split(X=%x) {axis=0, num=2} return %a }")

    assert not run_pass(PASS, graph)
    assert [node.op for node in graph] == ["split"]


def test_a_value_that_a_condition_passes_through_is_kept() -> None:
    """If the condition does not hold, a gets the value of b, so the loop has to carry b."""
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1], %k: bool[1], %a: float32[1], %b: float32[1]) {
          %c#1, %a#1, %b#1 = while(Condition=%c, X=[%a, %b, %k]) {carried=3}
            graph block1(%c: bool[1], %a: float32[1], %b: float32[1], %k: bool[1]) {
              %b#1 = tanh(X=%b)
              %a#1 = conditional_block(Cond=%k, Input=[%b, %a]) {carried=1}
                graph block2(%b: float32[1], %a: float32[1]) {
                  %n = relu(X=%a)
                  return a=%n
                }
              return c=%c, a=%a#1, b=%b#1
            }
          return %a#1
        }
        """,
    )
