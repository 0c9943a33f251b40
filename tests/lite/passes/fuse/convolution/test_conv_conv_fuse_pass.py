"""A convolution after a convolution with nothing between them is fused."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_conv_fuse_pass"


def test_the_filters_are_multiplied() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b = const float32[2] [1.0, 2.0]
          %v = const float32[1,2,1,1] [3.0, 4.0]
          Output=%c = conv2d(Input=%x, Filter=%w, Bias=%b) {strides=[2, 2]} : float32[1,2,2,2]
          Output=%d = conv2d(Input=%x, Filter=%w, Bias=%b) {strides=[2, 2]} : float32[1,2,2,2]
          Output=%y = conv2d(Input=%c, Filter=%v) {activation="relu"} : float32[1,1,2,2]
          return out=%y, %d
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b = const float32[2] [1.0, 2.0]
          %v_1 = const float32[1,1,1,1] [-3.5]
          %v_bias = const float32[1] [11.0]
          Output=%d = conv2d(Input=%x, Filter=%w, Bias=%b) {strides=[2, 2]} : float32[1,2,2,2]
          Output=%y = conv2d(Input=%x, Filter=%v_1, Bias=%v_bias) {ATTRS} : float32[1,1,2,2]
          return out=%y, %d
        }
        """.replace(
            "ATTRS",
            'activation="relu", strides=[2, 2], paddings=[0, 0], '
            'padding_algorithm="EXPLICIT", dilations=[1, 1]',
        ),
    )


@pytest.mark.parametrize(
    "attrs",
    ["", "strides=[2, 1], paddings=[1, 2], dilations=[1, 2]", 'padding_algorithm="SAME", strides=[2, 2]'],
)
@pytest.mark.parametrize(
    "biases", [("", ""), (", Bias=%b", ""), ("", ", Bias=%d"), (", Bias=%b", ", Bias=%d")]
)
def test_fused_graph_computes_the_same(attrs: str, biases: tuple[str, str]) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,2,7,8]) {{
          %w = const float32[8,2,3,2] random(1)
          %v = const float32[3,8,1,1] random(2)
          %b = const float32[8] random(3)
          %d = const float32[3] random(4)
          %s = const float32[3] random(5)
          %held = relu(X=%b)
          %also = relu(X=%d)
          Output=%c = conv2d(Input=%x, Filter=%w{biases[0]}) {{{attrs}}} : float32[*]
          Output=%y = conv2d(Input=%c, Filter=%v{biases[1]}, PostScale=%s) {{activation="tanh"}} : float32[*]
          return %y, %held, %also
        }}
        """,
        ["relu", "relu", "conv2d"],
    )


FIRES = """
graph main(%x: float32[1,2,4,4], %g: float32[8,2,1,1], %r: float32[1,8,4,4]) {
  %w = const float32[8,2,1,1] random(1)
  %v = const float32[2,8,1,1] random(2)
  Output=%c = conv2d(Input=%x, Filter=%w) {groups=1} : float32[1,8,4,4]
  Output=%y = conv2d(Input=%c, Filter=%v) {strides=[1, 1]} : float32[1,2,4,4]
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
        ("Filter=%w)", "Filter=%w, ResidualData=%r)"),
        ("groups=1", 'activation="relu"'),
        ("Output=%c = conv2d", "Output=%c = conv2d_transpose"),
        ("strides=[1, 1]", "strides=[2, 2]"),
        ("strides=[1, 1]", "paddings=[1, 1]"),
        ("strides=[1, 1]", 'data_format="NHWC"'),
        ("return %y", "return %y, %c"),
        ("return %y", "%z = relu(X=%c) return %y, %z"),
        ("{groups=1} : float32[1,8,4,4]", "{groups=1} : float32[1,8,4,4] quant([0.5], [0], -1, int8)"),
        ("[2,8,1,1] random(2)", "[2,8,3,3] random(2)"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new)

    assert text != FIRES
    check_unchanged(PASS, text)


def test_convolutions_with_few_channels_between_them_are_not_fused() -> None:
    check_unchanged(PASS, FIRES.replace("[8,2,1,1]", "[1,2,1,1]").replace("[2,8,1,1]", "[2,1,1,1]"))


def test_grouped_convolutions_are_not_fused() -> None:
    check_unchanged(PASS, FIRES.replace("[2,8,1,1]", "[2,4,1,1]").replace("strides=[1, 1]", "groups=2"))
    check_unchanged(
        PASS, FIRES.replace("const float32[8,2", "const float32[8,1").replace("groups=1", "groups=2")
    )


def test_a_computed_filter_is_not_fused() -> None:
    check_unchanged(
        PASS,
        FIRES.replace("Filter=%w", "Filter=%g").replace("  %w = const float32[8,2,1,1] random(1)\n", ""),
    )
