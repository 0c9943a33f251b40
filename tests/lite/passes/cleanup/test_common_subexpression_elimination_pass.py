"""Ops that compute the same value are merged."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.runtime import PlanState, Runtime
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused
from tests.lite.runtime.run_text import LAST_PASSES

PASS = "common_subexpression_elimination_pass"


def test_equal_branches_are_merged() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %c = const float32[2] [1.0, 2.0]
          %d = const float32[2] [1.0, 2.0]
          %a = elementwise_add(X=%x, Y=%c) {axis=-1} : float32[2]
          %b = elementwise_add(X=%x, Y=%d) : float32[2]
          %e = relu(X=%a) : float32[2]
          %f = relu(X=%b) : float32[2]
          %y = elementwise_mul(X=%e, Y=%f) : float32[2]
          return out=%y, %f
        }
        """,
        """
        graph main(%x: float32[2]) {
          %c = const float32[2] [1.0, 2.0]
          %a = elementwise_add(X=%x, Y=%c) {axis=-1} : float32[2]
          %e = relu(X=%a) : float32[2]
          %y = elementwise_mul(X=%e, Y=%e) : float32[2]
          return out=%y, f=%e
        }
        """,
    )


def test_ops_with_several_outputs_are_merged() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[4]) {
          Out=[%a, %b] = split(X=%x) {num=2} : float32[2], float32[2]
          Out=[%c, %d] = split(X=%x) {num=2, axis=0} : float32[2], float32[2]
          %y = elementwise_sub(X=%a, Y=%d) : float32[2]
          %z = elementwise_sub(X=%c, Y=%b) : float32[2]
          return %y, %z
        }
        """,
        ["split", "elementwise_sub"],
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("relu(X=%x)", "relu(X=%v)"),
        ("relu(X=%x)", "tanh(X=%x)"),
        ("scale(X=%x) {scale=2.0}", "scale(X=%x) {scale=3.0}"),
        ("elementwise_sub(X=%x, Y=%v)", "elementwise_sub(X=%v, Y=%x)"),
        ("uniform_random() {shape=[2]}", "uniform_random() {shape=[2]}"),
        ("no_such_op(X=%x)", "no_such_op(X=%x)"),
        ("relu(X=%x)", "relu(X=%x) : float32[2] quant([0.5], [0], -1, int8)"),
    ],
)
def test_ops_that_differ_are_kept(first: str, second: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[2], %v: float32[2]) {{
          %a = {first} : float32[2]
          %b = {second if " : " in second else f"{second} : float32[2]"}
          return %a, %b
        }}
        """,
    )


@pytest.mark.parametrize(
    "other",
    ["float32[2] [1.0, 3.0]", "float32[2,1] [1.0, 2.0]", "float64[2] [1.0, 2.0]", "float32[2] [-0.0, 2.0]"],
)
def test_ops_on_different_constants_are_kept(other: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[2]) {{
          %c = const float32[2] {"[0.0, 2.0]" if "-0.0" in other else "[1.0, 2.0]"}
          %d = const {other}
          %a = no_such_op(X=[%c, %d]) : float32[2]
          return %a
        }}
        """,
    )


def test_all_elements_of_large_constants_are_compared() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[2]) {
          %c = const float32[1000] random(1)
          %d = const float32[1000] random(1)
          %e = const float32[1000] random(2)
          %f = const float32[1000] random(1)
          %a = no_such_op(X=[%c, %d, %e, %f]) : float32[2]
          return %a
        }
        """
    )
    changed = np.array(graph.constants["f"].data)
    changed[777] += 1
    changed.flags.writeable = False
    graph.constants["f"].data = changed

    assert run_pass(PASS, graph)
    [node] = graph
    assert [value.name for value in node.all_inputs()] == ["c", "c", "e", "f"]


def test_merged_results_are_separate_arrays() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[2]) {
          %a = relu(X=%x) : float32[2]
          %b = relu(X=%x) : float32[2]
          return %a, %b
        }
        """
    )
    assert run_pass(PASS, graph)
    ctx = PassContext()
    PassManager(LAST_PASSES).run(graph, ctx)
    assert ctx.results.plan is not None
    first, second = Runtime(PlanState(ctx.results.plan), "compact").run([np.ones(2, np.float32)], [()], {})[0]

    first[0] = 7
    assert second.tolist() == [1, 1]
