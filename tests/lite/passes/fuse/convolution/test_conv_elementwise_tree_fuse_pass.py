"""The sum of a convolution and another branch is fused."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_elementwise_tree_fuse_pass"


def test_the_convolution_moves_after_the_other_branch() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
          Output=%c = conv2d(Input=%x, Filter=%w) {strides=[1, 1]} : float32[1,2,4,4]
          %r = relu(X=%x) : float32[1,2,4,4]
          %y = elementwise_add(X=%c, Y=%r) {axis=-1} : float32[1,2,4,4]
          return out=%y
        }
        """,
        """
        graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
          %r = relu(X=%x) : float32[1,2,4,4]
          Output=%y = conv2d(Input=%x, Filter=%w, ResidualData=%r) {strides=[1, 1]} : float32[1,2,4,4]
          return out=%y
        }
        """,
    )


def test_the_later_of_two_convolutions_adds_the_other() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
          Output=%a = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          Output=%b = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          %y = elementwise_add(X=%b, Y=%a) : float32[1,2,4,4]
          return %y
        }
        """,
        """
        graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
          Output=%a = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          Output=%y = conv2d(Input=%x, Filter=%w, ResidualData=%a) : float32[1,2,4,4]
          return %y
        }
        """,
    )


@pytest.mark.parametrize("operands", ["X=%c, Y=%r", "X=%r, Y=%c"])
@pytest.mark.parametrize(
    ("op", "shape", "attrs"),
    [
        ("conv2d", "4,4,1,1", ""),
        ("conv2d", "4,4,3,3", "paddings=[1, 1]"),
        ("conv2d", "4,1,3,3", "groups=4, paddings=[1, 1]"),
    ],
)
def test_fused_graph_computes_the_same(operands: str, op: str, shape: str, attrs: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,4,5,6], %r: float32[?,4,5,6]) {{
          %w = const float32[{shape}] random(1)
          %b = const float32[4] random(2)
          Output=%c = {op}(Input=%x, Filter=%w, Bias=%b) {{{attrs}}} : float32[?,4,5,6]
          %y = elementwise_add({operands}) : float32[?,4,5,6]
          return %y
        }}
        """,
        [op],
    )


def test_the_activation_of_a_sum_moves_to_the_convolution() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[1,2,4,4], %r: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] random(1)
          Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          %y = fusion_elementwise_add_activation(X=%c, Y=%r) {ATTRS} : float32[1,2,4,4]
          return %y
        }
        """.replace("ATTRS", 'activation="relu6", activation_params=[0.5]'),
        ["conv2d"],
    )


FIRES = """
graph main(%x: float32[1,1,4,4], %f: float32[2,1,1,1], %r: float32[1,2,4,4], %row: float32[4]) {
  %w = const float32[2,1,1,1] [1.5, -2.0]
  Output=%c = conv2d(Input=%x, Filter=%w) {groups=1} : float32[1,2,4,4]
  %y = elementwise_add(X=%c, Y=%r) {axis=-1} : float32[1,2,4,4]
  return %y
}
"""


def test_unchanged_text_is_fused() -> None:
    graph = parse_graph(FIRES)

    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["conv2d"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Y=%r", "Y=%row"),
        ("Y=%r", "Y=%c"),
        ("%r: float32[1,2,4,4]", "%r: float32[*]"),
        ("%r: float32[1,2,4,4]", "%r: float32[1,2,1,1]"),
        ("%r: float32[1,2,4,4]", "%r: float32[1,1,4,4]"),
        ("%r: float32[1,2,4,4]", "%r: float32[?,2,4,4]"),
        ("%r: float32", "%r: float64"),
        ("Filter=%w", "Filter=%f"),
        ("Filter=%w", "Filter=%w, ResidualData=%r"),
        ("groups=1", 'activation="relu"'),
        ("groups=1", 'activation="tanh"'),
        ("return %y", "return %y, %c"),
        ("return %y", "%z = relu(X=%c) return %y, %z"),
        ("{groups=1} : float32[1,2,4,4]", "{groups=1} : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("{axis=-1} : float32[1,2,4,4]", "{axis=-1} : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("elementwise_add", "elementwise_sub"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new)

    assert text != FIRES
    check_unchanged(PASS, text)


def test_a_transposed_convolution_is_not_fused() -> None:
    check_unchanged(PASS, FIRES.replace("[2,1,1,1] [1", "[1,2,1,1] [1").replace("conv2d", "conv2d_transpose"))
