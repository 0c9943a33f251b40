"""Types of values in loops whose branches depend on shapes."""

from __future__ import annotations

import numpy as np

from lite.ir.text import parse_graph, print_graph
from tests.lite.passes.check import run_pass
from tests.lite.runtime.run_text import runtime_of

LOOP = """
graph main(%h: float32[2,4], %i: int64[1], %n: int64[1]) {
  %c = less_than(X=%i, Y=%n) : bool[1]
  %c#1, %h#1, %i#1 = while(Condition=%c, X=[%h, %i, %n]) {carried=3} : bool[1], float32[*], int64[1]
    graph block1(%c: bool[1], %h: float32[*], %i: int64[1], %n: int64[1]) {
      %w = const float32[4,4] random(1) : float32[4,4]
      %p = matmul_v2(X=%h, Y=%w) : float32[*]
      %u = unsqueeze2(X=%p) {axes=[AXIS]} : float32[*]
      %s = shape(Input=%u) : int32[?]
      %size = slice(Input=%s) {axes=[0], starts=[1], ends=[2]} : int32[1]
      %one = const int32[1] [1] : int32[1]
      %is = equal(X=%size, Y=%one) : bool[1]
      %not = logical_not(X=%is) : bool[1]
      %a = conditional_block(Cond=%is, Input=%u) {carried=0, is_scalar_condition=true} : float32[*]
        graph block2(%u: float32[*]) {
          %a = squeeze2(X=%u) {axes=[1]} : float32[*]
          return %a
        }
      %b = conditional_block(Cond=%not, Input=%p) {carried=0, is_scalar_condition=true} : float32[*]
        graph block3(%p: float32[*]) {
          %b = tanh(X=%p) : float32[*]
          return %b
        }
      %mask = cast(X=%is) {in_dtype=0, out_dtype=2} : int32[1]
      %h#1 = select_input(X=[%b, %a], Mask=%mask) : float32[*]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, h=%h#1, i=%i#1
    }
  %y = relu(X=%h#1) : float32[*]
  return %y
}
"""


def check(text: str, ops: list[str]) -> None:
    """Assert the ops of the loop after folding, and that shapes are known and results are the same."""
    graph = parse_graph(text)
    assert run_pass("constant_fold_pass", graph)
    assert run_pass("branch_fold_pass", graph)
    loop = next(node for node in graph if node.op == "while")
    assert [node.op for node in loop.blocks[0] if node.outputs["Out"][0].is_used] == ops
    assert graph.results[0].shape == (2, 4)
    args = [np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32), np.array([0]), np.array([5])]
    [expected], _ = runtime_of(text).run(args)
    [result], _ = runtime_of(print_graph(graph)).run(args)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_a_branch_that_the_first_iteration_and_all_others_take() -> None:
    check(LOOP.replace("AXIS", "1"), ["matmul_v2", "unsqueeze2", "squeeze2", "increment", "less_than"])


def test_the_other_branch() -> None:
    """The second size of the operand with a new last axis is 4."""
    check(LOOP.replace("AXIS", "2"), ["matmul_v2", "tanh", "increment", "less_than"])


def test_a_size_that_changes_leaves_the_branch() -> None:
    grows = LOOP.replace("AXIS", "1").replace("%h: float32[2,4], %i", "%h: float32[2,1,4], %i")
    grows = grows.replace("  %u = unsqueeze2(X=%p) {axes=[1]}", "  %u = concat(X=[%p, %p]) {axis=1}")
    grows = grows.replace("shape(Input=%u)", "shape(Input=%p)")
    grows = grows.replace("squeeze2(X=%u) {axes=[1]}", "tanh(X=%u)")
    graph = parse_graph(grows)
    run_pass("constant_fold_pass", graph)

    assert not run_pass("branch_fold_pass", graph)
    loop = next(node for node in graph if node.op == "while")
    assert [node.op for node in loop.blocks[0]].count("conditional_block") == 2
    assert graph.results[0].shape == (2, "?", 4)
