"""What a loop appends to a tensor is collected in a tensor array."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph, print_graph
from tests.lite.passes.check import check_unchanged, run_pass
from tests.lite.runtime.run_text import runtime_of

PASS = "growing_concat_to_array_pass"

LOOP = """
graph main(%x: float32[2,3], %y: float32[2,1,3], %i: int64[1], %n: int64[1]) {
  %c = less_than(X=%i, Y=%n) : bool[1]
  %c#1, %y#1, %x#1, %i#1 = while(Condition=%c, X=[%y, %x, %i, %n]) {carried=4}
        : bool[1], float32[2,?,3], float32[2,3], int64[1]
    graph block1(%c: bool[1], %y: float32[2,?,3], %x: float32[2,3], %i: int64[1], %n: int64[1]) {
      %x#1 = scale(X=%x) {scale=-2.0} : float32[2,3]
      %new = unsqueeze2(X=%x#1) {axes=[1]} : float32[2,1,3]
      %y#1 = concat(X=[OPERANDS]) {axis=1} : float32[2,?,3]
      %i#1 = increment(X=%i) {step=1.0} : int64[1]
      %c#1 = less_than(X=%i#1, Y=%n) : bool[1]
      return c=%c#1, y=%y#1, x=%x#1, i=%i#1
    }
  %z = relu(X=%y#1) : float32[2,?,3]
  return %z, y=%y#1, x=%x#1
}
"""


def loop(operands: str = "%y, %new") -> str:
    return LOOP.replace("OPERANDS", operands)


@pytest.mark.parametrize("operands", ["%y, %new", "%new, %y"])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_what_is_added_at_an_end(operands: str, count: int) -> None:
    text = loop(operands)
    graph = parse_graph(text)
    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == [
        "less_than", "make_array", "while", "tensor_array_to_tensor", "relu",
    ]  # fmt: skip
    assert "concat" not in [node.op for each in graph.walk() for node in each]
    assert not run_pass(PASS, graph)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    args = [x, -x[:, None], np.array([0]), np.array([count])]
    expected, _ = runtime_of(text).run(args)
    results, _ = runtime_of(print_graph(graph)).run(args)
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize(
    "text",
    [
        loop("%y, %new, %new"),
        loop("%y, %y"),
        loop()
        .replace("unsqueeze2(X=%x#1)", "reduce_sum(X=%y)")
        .replace("axes=[1]", "dim=[1], keep_dim=true"),
        loop().replace("%i#1 = inc", "%t = relu(X=%y#1) : float32[2,?,3]\n      %i#1 = inc"),
        loop().replace(
            "%y#1 = concat(X=[%y, %new]) {axis=1}", "%y#1 = elementwise_add(X=%y, Y=%new) {axis=-1}"
        ),
    ],
    ids=["three operands", "twice the same", "read before", "read after", "another op"],
)
def test_others_stay(text: str) -> None:
    check_unchanged(PASS, text)


CHOSEN = """%p = less_than(X=%i, Y=%least) : bool[1]
      %not = logical_not(X=%p) : bool[1]
      %mask = cast(X=%not) {in_dtype=0, out_dtype=2} : int32[1]
      %longer = conditional_block(Cond=%not, Input=[%y, %x#1]) {carried=0, is_scalar_condition=true}
            : float32[2,?,3]
        graph block2(%y: float32[2,?,3], %row: float32[2,3]) {
          %new = unsqueeze2(X=%row) {axes=[1]} : float32[2,1,3]
          %longer = concat(X=[OPERANDS]) {axis=1} : float32[2,?,3]
          return %longer
        }
      %y#1 = select_input(X=[%y, %longer], Mask=%mask) : float32[2,?,3]"""


def chosen(operands: str = "%y, %new") -> str:
    lines = """%new = unsqueeze2(X=%x#1) {axes=[1]} : float32[2,1,3]
      %y#1 = concat(X=[OPERANDS]) {axis=1} : float32[2,?,3]"""
    return (
        LOOP.replace(lines, CHOSEN)
        .replace("OPERANDS", operands)
        .replace("main(", "main(%least: int64[1], ")
        .replace("%i, %n]) {carried=4}", "%i, %n, %least]) {carried=4}")
        .replace("%n: int64[1]) {\n      %x#1", "%n: int64[1], %least: int64[1]) {\n      %x#1")
    )


@pytest.mark.parametrize("operands", ["%y, %new", "%new, %y"])
@pytest.mark.parametrize(("least", "count"), [(0, 5), (2, 5), (9, 5), (0, 0)])
def test_what_is_added_where_a_condition_holds(operands: str, least: int, count: int) -> None:
    text = chosen(operands)
    graph = parse_graph(text)
    assert run_pass(PASS, graph)
    ops = [node.op for each in graph.walk() for node in each]
    assert "insert_to_array" in ops
    assert not {"concat", "select_input", "conditional_block"}.intersection(ops)
    assert not run_pass(PASS, graph)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    args = [np.array([least]), x, -x[:, None], np.array([0]), np.array([count])]
    expected, _ = runtime_of(text).run(args)
    results, _ = runtime_of(print_graph(graph)).run(args)
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("X=[%y, %longer], Mask", "X=[%longer, %y], Mask"),
        ("cast(X=%not)", "cast(X=%p)"),
        ("cast(X=%not) {in_dtype=0", "cast(X=%i) {in_dtype=3"),
        ("unsqueeze2(X=%row) {axes=[1]}", "gather(X=%row, Index=%zero) {axis=1}"),
        ("concat(X=[%y, %new]) {axis=1}", "elementwise_add(X=%y, Y=%new) {axis=-1}"),
        ("is_scalar_condition=true", "is_scalar_condition=false"),
        ("%i#1 = inc", "%t = relu(X=%longer) : float32[2,?,3]\n      %i#1 = inc"),
    ],
    ids=["other choice", "other mask", "a number", "may fail", "another op", "not scalar", "read otherwise"],
)
def test_other_choices_stay(old: str, new: str) -> None:
    text = chosen().replace(old, new)
    if "gather" in new:
        zero = "%zero = const int64[1] [0] : int64[1]\n          "
        text = text.replace("%new = gather", zero + "%new = gather")
        text = text.replace("%row: float32[2,3]", "%row: float32[2,1,3]").replace(
            "%x: float32[2,3]", "%x: float32[2,1,3]"
        )
        text = text.replace("float32[2,3]", "float32[2,1,3]")
    check_unchanged(PASS, text)
