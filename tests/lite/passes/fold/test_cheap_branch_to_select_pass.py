"""Branches of a few small ops are computed always, and one of their results is selected."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph, print_graph
from tests.lite.passes.check import check_unchanged, run_pass
from tests.lite.runtime.run_text import runtime_of

PASS = "cheap_branch_to_select_pass"

BRANCHES = """
graph main(%x: float32[2], %p: bool[1]) {
  %not = logical_not(X=%p) : bool[1]
  %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
  %a = conditional_block(Cond=%p, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
    graph block1(%x: float32[2]) {
      %w = const float32[2] [2.0, 3.0] : float32[2]
      %a = elementwise_mul(X=%x, Y=%w) {axis=-1} : float32[2]
      return %a
    }
  %b = conditional_block(Cond=%not, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
    graph block2(%x: float32[2]) {
      return %x
    }
  %c = select_input(X=[%b, %a], Mask=%mask) : float32[2]
  %y = relu(X=%c) : float32[2]
  return %y
}
"""

CONSTANT = """
    graph block2() {
      %w = const float32[2] [-1.0, 4.0] : float32[2]
      return %w
    }"""


def both_results(text: str) -> list[np.ndarray]:
    runtime = runtime_of(text)
    x = np.array([-2, 5], np.float32)
    return [result for p in (False, True) for result in runtime.run([x, np.array([p])])[0]]


@pytest.mark.parametrize("has_constant", [False, True], ids=["an argument", "a constant"])
def test_both_branches_are_computed(*, has_constant: bool) -> None:
    text = BRANCHES
    if has_constant:
        start, end = text.index("\n    graph block2"), text.index("\n  %c =")
        text = (text[:start] + CONSTANT + text[end:]).replace("Cond=%not, Input=%x", "Cond=%not")
    graph = parse_graph(text)

    assert run_pass(PASS, graph)

    assert [node.op for node in graph] == ["logical_not", "cast", "elementwise_mul", "select_input", "relu"]
    assert not run_pass(PASS, graph)
    for result, expected in zip(both_results(print_graph(graph)), both_results(text), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_a_branch_inside_a_branch() -> None:
    inner = BRANCHES[BRANCHES.index("  %not") : BRANCHES.index("  %y =")].replace("\n", "\n    ")
    text = f"""
graph main(%x: float32[2], %p: bool[1]) {{
  %both = conditional_block(Cond=%p, Input=[%x, %p]) {{carried=0, is_scalar_condition=true}} : float32[2]
    graph block3(%x: float32[2], %p: bool[1]) {{
    {inner}
      return %c
    }}
  %number = cast(X=%p) {{in_dtype=0, out_dtype=2}} : int32[1]
  %y = select_input(X=[%x, %both], Mask=%number) : float32[2]
  return %y
}}
"""
    graph = parse_graph(text)

    assert run_pass(PASS, graph)

    assert [len(each.blocks) for each in graph] == [0] * 6
    for result, expected in zip(both_results(print_graph(graph)), both_results(text), strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("elementwise_mul(X=%x, Y=%w) {axis=-1}", "gather(X=%x, Index=%k) {axis=0}"),
        ("relu(X=%c)", "relu(X=%a)"),
        ("return %y", "return %y, %a"),
        ("[2]", "[2000]"),
        ("[2]", "[?]"),
    ],
    ids=["may fail", "read otherwise", "a result", "many elements", "unknown size"],
)
def test_other_branches_stay(old: str, new: str) -> None:
    """The first branch has an op; the second one has none, and goes in each case where `new` allows it."""
    text = BRANCHES.replace("%w = const float32[2] [2.0, 3.0]", "%w = relu(X=%x)").replace(old, new)
    if "gather" in new:
        text = text.replace("%w = relu(X=%x) : float32[2]", "%k = const int64[2] [0, 1] : int64[2]")
    graph = parse_graph(text)
    run_pass(PASS, graph)

    assert [node.op for node in graph if node.blocks] == ["conditional_block"]


@pytest.mark.parametrize(("old", "new"), [("condition=true", "condition=false"), ("carried=0", "carried=1")])
def test_branches_of_another_kind_stay(old: str, new: str) -> None:
    check_unchanged(PASS, BRANCHES.replace(old, new))


@pytest.mark.parametrize(("dtype", "stays"), [("int32", True), ("float32", False)])
def test_a_division_of_integers_may_fail(dtype: str, *, stays: bool) -> None:
    text = BRANCHES.replace("elementwise_mul", "elementwise_div")
    if dtype == "int32":
        text = text.replace("float32", "int32").replace("[2.0, 3.0]", "[2, 0]")
    graph = parse_graph(text)

    assert run_pass(PASS, graph)

    assert any(node.blocks for node in graph) == stays
