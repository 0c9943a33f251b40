"""A factor and a summand after a convolution are fused."""

from __future__ import annotations

import pytest

from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_scale_fuse_pass"


def test_factor_and_summand_change_copies_of_shared_weights() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b = const float32[2] [1.0, 2.0]
          Output=%c = conv2d(Input=%x, Filter=%w, Bias=%b) : float32[1,2,4,4]
          Output=%d = conv2d(Input=%x, Filter=%w, Bias=%b) : float32[1,2,4,4]
          %y = scale(X=%c) {scale=2.0, bias=0.5} : float32[1,2,4,4]
          return out=%y, %d
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b = const float32[2] [1.0, 2.0]
          %w_1 = const float32[2,1,1,1] [3.0, -4.0]
          %w_bias = const float32[2] [2.5, 4.5]
          Output=%y = conv2d(Input=%x, Filter=%w_1, Bias=%w_bias) : float32[1,2,4,4]
          Output=%d = conv2d(Input=%x, Filter=%w, Bias=%b) : float32[1,2,4,4]
          return out=%y, %d
        }
        """,
    )


def test_a_factor_alone_adds_no_bias() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %f = const float32[2] [2.0, 3.0]
          Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          %y = elementwise_mul(X=%c, Y=%f) {axis=1} : float32[1,2,4,4]
          return %y
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w_1 = const float32[2,1,1,1] [3.0, -6.0]
          Output=%y = conv2d(Input=%x, Filter=%w_1) : float32[1,2,4,4]
          return %y
        }
        """,
    )


def test_a_scale_after_an_activation_becomes_post_scale() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %t = const float32[1,2,1,1] [1.0, 2.0]
          Output=%c = conv2d(Input=%x, Filter=%w) {activation="sigmoid"} : float32[1,2,4,4]
          %s = scale(X=%c) {scale=2.0, bias=1.0} : float32[1,2,4,4]
          %y = elementwise_add(X=%s, Y=%t) : float32[1,2,4,4]
          return %y
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %s_scale = const float32[1] [2.0]
          %s_shift = const float32[2] [2.0, 3.0]
          Output=%y = conv2d(Input=%x, Filter=%w, PostScale=%s_scale, PostShift=%s_shift) {LAST
          return %y
        }
        """.replace("LAST", 'activation="sigmoid"} : float32[1,2,4,4]'),
    )


SPELLINGS = [
    "scale(X=%c) {scale=2.0, bias=0.5}",
    "scale(X=%c) {scale=2.0, bias=0.5, bias_after_scale=false}",
    "elementwise_mul(X=%c, Y=%one)",
    "elementwise_mul(X=%four, Y=%c) {axis=1, scale=0.5, bias=3.0}",
    "elementwise_add(X=%c, Y=%four) {axis=1}",
    "elementwise_sub(X=%c, Y=%four) {axis=1}",
    "elementwise_sub(X=%four, Y=%c) {axis=1}",
    "elementwise_div(X=%c, Y=%four) {axis=1}",
    "elementwise_sub(X=%one, Y=%c)",
    "elementwise_mul(X=%c, Y=%aligned)",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("op", "filter_shape", "attrs"),
    [
        ("conv2d", "4,1,2,2", "groups=2"),
        ("conv2d", "4,1,2,2", 'groups=2, activation="tanh"'),
        ("conv2d", "4,1,2,2", "groups=2, paddings=[1, 1]"),
        ("conv2d_transpose", "2,2,2,2", "groups=2"),
        ("conv2d_transpose", "2,4,3,3", "strides=[2, 2]"),
        ("conv2d_transpose", "2,4,2,2", 'activation="relu"'),
    ],
)
def test_every_spelling_of_a_scale_is_fused(spelling: str, op: str, filter_shape: str, attrs: str) -> None:
    graph = check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,2,5,5]) {{
          %w = const float32[{filter_shape}] random(1)
          %b = const float32[4] random(2)
          %one = const float32[1] [-1.5]
          %four = const float32[4] random(3)
          %aligned = const float32[4,1,1] random(4)
          Output=%c = {op}(Input=%x, Filter=%w, Bias=%b) {{{attrs}}} : float32[?,4,?,?]
          %y = {spelling} : float32[*]
          return %y
        }}
        """,
        [op],
    )

    [node] = graph
    assert ("PostScale" in node.inputs or "PostShift" in node.inputs) == ("act" in attrs)


def test_a_scale_of_channels_last_is_fused() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[?,5,5,2]) {
          %w = const float32[4,2,2,2] random(1)
          %v = const float32[4,4,2,2] random(2)
          %f = const float32[4] random(3)
          Output=%c = conv2d(Input=%x, Filter=%w) {data_format="NHWC"} : float32[?,4,4,4]
          %s = elementwise_mul(X=%c, Y=%f) {axis=-1} : float32[?,4,4,4]
          Output=%d = conv2d(Input=%s, Filter=%v) {data_format="NHWC", activation="tanh"} : float32[?,3,3,4]
          %y = elementwise_mul(X=%d, Y=%f) {axis=3} : float32[?,3,3,4]
          return %y
        }
        """,
        ["conv2d", "conv2d"],
    )


def test_a_scale_after_a_residual_becomes_post_scale() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[?,2,5,5], %r: float32[?,4,5,5]) {
          %w = const float32[4,2,1,1] random(1)
          Output=%c = conv2d(Input=%x, Filter=%w, ResidualData=%r) : float32[?,4,5,5]
          %y = scale(X=%c) {scale=2.0, bias=0.5} : float32[?,4,5,5]
          return %y
        }
        """,
        ["conv2d"],
    )


FIRES = """
graph main(%x: float32[1,1,4,4], %f: float32[2,1,1,1], %r: float32[1,2,4,4]) {
  %w = const float32[2,1,1,1] [1.5, -2.0]
  %b = const float32[2] [1.0, 2.0]
  %rows = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %nothing = const float32[2] [1.0, 0.0]
  %rank5 = const float32[1,1,1,1,1] [2.0]
  %held = no_such_op(X=[%w, %b, %rows, %nothing, %rank5])
  Output=%c = conv2d(Input=%x, Filter=%w) {groups=1} : float32[1,2,4,4]
  %y = elementwise_mul(X=%c, Y=%b) {axis=1} : float32[1,2,4,4]
  return %y, %held
}
"""


def test_unchanged_text_is_fused() -> None:
    graph = parse_graph(FIRES)

    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["no_such_op", "conv2d"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Y=%b) {axis=1}", "Y=%rows) {axis=2}"),
        ("Y=%b) {axis=1}", "Y=%r) {axis=-1}"),
        ("Y=%b) {axis=1}", "Y=%c) {axis=-1}"),
        ("elementwise_mul(X=%c, Y=%b) {axis=1}", "elementwise_div(X=%b, Y=%c) {axis=1}"),
        ("elementwise_mul(X=%c, Y=%b) {axis=1}", "elementwise_div(X=%c, Y=%nothing) {axis=1}"),
        ("elementwise_mul(X=%c, Y=%b) {axis=1} : float32", "elementwise_mul(X=%c, Y=%rank5) : float32[1]"),
        ("elementwise_mul(X=%c, Y=%b) {axis=1}", 'scale(X=%c) {scale=2.0, activation="relu"}'),
        ("Filter=%w", "Filter=%f"),
        ("return %y", "return %y, %c"),
        ("return %y", "%z = relu(X=%c) return %y, %z"),
        ("{groups=1} : float32[1,2,4,4]", "{groups=1} : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("{axis=1} : float32[1,2,4,4]", "{axis=1} : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("elementwise_mul", "elementwise_max"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new).replace("float32[1][1,2,4,4]", "float32[1,1,2,4,4]")

    assert text != FIRES
    check_unchanged(PASS, text)


def test_a_block_of_pp_lcnet_becomes_its_convolutions() -> None:
    graph = _optimised(
        "conv_bn_fuse_pass",
        PASS,
        "conv_activation_fuse_pass",
        PASS,
        "conv_activation_scale_fold_pass",
        "conv_input_scale_fuse_pass",
    )

    assert [node.op for node in graph] == ["conv2d", "conv2d"]
    assert [sorted(node.inputs) for node in graph] == [["Bias", "Filter", "Input"]] * 2


def _optimised(*passes: str) -> Graph:
    graph = parse_graph(BLOCK)
    PassManager(passes, debug=True).run(graph, PassContext())
    return graph


BLOCK = """
graph main(%x: float32[?,4,?,?]) {
  %w = const float32[4,1,3,3] random(1)
  %p = const float32[8,4,1,1] random(2)
  %a = const float32[1] [0.9]
  %b = const float32[1] [0.2]
  %e = const float32[1] [1.1]
  %f = const float32[1] [-0.3]
  Output=%1 = conv2d(Input=%x, Filter=%w) {groups=4, paddings=[1, 1]} : float32[?,4,?,?]
  %2 = elementwise_mul(X=%a, Y=%1) {axis=0} : float32[?,4,?,?]
  %3 = elementwise_add(X=%2, Y=%b) : float32[?,4,?,?]
  %4 = hard_swish(X=%3) : float32[?,4,?,?]
  %5 = elementwise_mul(X=%e, Y=%4) {axis=0} : float32[?,4,?,?]
  %6 = elementwise_add(X=%5, Y=%f) : float32[?,4,?,?]
  Output=%7 = conv2d(Input=%6, Filter=%p) : float32[?,8,?,?]
  return %7
}
"""
