"""A factor and a summand before a convolution are fused."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_changed, check_fused

PASS = "conv_input_scale_fuse_pass"


def test_factor_and_summand_change_a_copy_of_a_shared_filter() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
          %f = const float32[2] [2.0, 0.5]
          %a = elementwise_mul(X=%x, Y=%f) {axis=1} : float32[1,2,4,4]
          %s = scale(X=%a) {scale=1.0, bias=0.5} : float32[1,2,4,4]
          Output=%y = conv2d(Input=%s, Filter=%w) : float32[1,2,4,4]
          Output=%z = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          return out=%y, %z
        }
        """,
        """
        graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
          %w_1 = const float32[2,2,1,1] [2.0, 1.0, 6.0, 2.0]
          %w_bias = const float32[2] [1.5, 3.5]
          Output=%y = conv2d(Input=%x, Filter=%w_1, Bias=%w_bias) : float32[1,2,4,4]
          Output=%z = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          return out=%y, %z
        }
        """,
    )


@pytest.mark.parametrize(
    ("op", "shape", "attrs"),
    [
        ("conv2d", "6,4,1,1", ""),
        ("conv2d", "6,4,3,2", 'activation="relu", strides=[2, 1]'),
        ("conv2d", "6,2,3,3", "groups=2"),
        ("conv2d", "6,4,1,1", 'padding_algorithm="SAME", paddings=[1, 1]'),
        ("conv2d", "6,4,3,3", 'padding_algorithm="VALID", paddings=[1, 1]'),
        ("conv2d", "8,1,2,2", "groups=4"),
    ],
)
def test_factor_and_summand_before_an_unpadded_convolution_are_fused(op: str, shape: str, attrs: str) -> None:
    check_fused(PASS, _in_front("scale(X=%x) {scale=2.0, bias=0.5}", op, shape, attrs), ["relu", op])
    check_fused(PASS, _in_front("elementwise_sub(X=%x, Y=%f) {axis=1}", op, shape, attrs), ["relu", op])
    check_fused(PASS, _in_front("elementwise_mul(X=%f, Y=%x) {axis=1}", op, shape, attrs), ["relu", op])


PADDED = [
    ("conv2d", "6,4,3,3", "paddings=[1, 1]"),
    ("conv2d", "6,4,3,3", "paddings=[0, 0, 0, 1]"),
    ("conv2d", "6,4,3,3", 'padding_algorithm="SAME"'),
    ("conv2d", "4,1,3,3", "groups=4, paddings=[1, 1]"),
    ("conv2d_transpose", "4,6,3,3", "strides=[2, 2]"),
    ("conv2d_transpose", "4,3,3,3", "groups=2"),
]


@pytest.mark.parametrize(("op", "shape", "attrs"), PADDED)
def test_a_factor_before_a_padded_convolution_is_fused(op: str, shape: str, attrs: str) -> None:
    check_fused(PASS, _in_front("elementwise_mul(X=%x, Y=%f) {axis=1}", op, shape, attrs), ["relu", op])


@pytest.mark.parametrize(("op", "shape", "attrs"), PADDED)
def test_a_summand_before_a_padded_convolution_is_not_fused(op: str, shape: str, attrs: str) -> None:
    check_unchanged(PASS, _in_front("scale(X=%x) {scale=2.0, bias=0.5}", op, shape, attrs))


def _in_front(node: str, op: str, shape: str, attrs: str) -> str:
    return f"""
        graph main(%x: float32[2,4,6,7]) {{
          %w = const float32[{shape}] random(1)
          %f = const float32[4] random(3)
          %held = relu(X=%f) : float32[4]
          %s = {node} : float32[2,4,6,7]
          Output=%y = {op}(Input=%s, Filter=%w) {{{attrs}}} : float32[2,?,?,?]
          return %y, %held
        }}
        """


def test_a_summand_is_added_to_an_existing_bias() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[2,4,6,7]) {
          %w = const float32[6,4,2,2] random(1)
          %b = const float32[6] random(2)
          %s = scale(X=%x) {scale=2.0, bias=0.5} : float32[2,4,6,7]
          Output=%y = conv2d(Input=%s, Filter=%w, Bias=%b) : float32[2,6,5,6]
          return %y
        }
        """,
        ["conv2d"],
    )


def test_post_scale_and_shift_move_to_the_next_convolution() -> None:
    graph = check_changed(PASS, _pair("paddings=[0, 0]"))

    first, second = graph
    assert sorted(first.inputs) == ["Filter", "Input"]
    assert sorted(second.inputs) == ["Bias", "Filter", "Input"]


def test_only_the_factor_moves_to_a_padded_convolution() -> None:
    graph = check_changed(PASS, _pair("paddings=[1, 1]"))

    first, second = graph
    assert sorted(first.inputs) == ["Filter", "Input", "PostShift"]
    assert sorted(second.inputs) == ["Filter", "Input"]


def _pair(attrs: str) -> str:
    return f"""
        graph main(%x: float32[2,3,6,7]) {{
          %w = const float32[4,3,1,1] random(1)
          %v = const float32[5,4,3,3] random(2)
          %s = const float32[4] random(3)
          %t = const float32[1] [0.5]
          Output=%c = conv2d(Input=%x, Filter=%w, PostScale=%s, PostShift=%t) {{ATTRS}} : float32[2,4,6,7]
          Output=%y = conv2d(Input=%c, Filter=%v) {{{attrs}}} : float32[2,5,?,?]
          return %y
        }}
        """.replace("ATTRS", 'activation="sigmoid"')


FIRES = """
graph main(%x: float32[1,2,4,4], %g: float32[2,2,1,1], %one: float32[1,1,4,4]) {
  %w = const float32[2,2,1,1] [1.0, 2.0, 3.0, 4.0]
  %f = const float32[2] [2.0, 0.5]
  %rows = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %held = no_such_op(X=[%w, %f, %rows])
  %s = elementwise_mul(X=%x, Y=%f) {axis=1} : float32[1,2,4,4]
  Output=%y = conv2d(Input=%s, Filter=%w) : float32[1,2,4,4]
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
        ("Y=%f) {axis=1}", "Y=%rows) {axis=2}"),
        ("Y=%f) {axis=1}", "Y=%x) {axis=-1}"),
        ("X=%x, Y=%f", "X=%one, Y=%f"),
        ("Filter=%w", "Filter=%g"),
        ("return %y", "return %y, %s"),
        ("return %y", "%z = relu(X=%s) return %y, %z"),
        ("{axis=1} : float32[1,2,4,4]", "{axis=1} : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("Filter=%w) : float32[1,2,4,4]", "Filter=%w) : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("Filter=%w)", "Filter=%w, ResidualData=%s)"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new)

    assert text != FIRES
    check_unchanged(PASS, text)


@pytest.mark.parametrize("post", ["PostScale=%zero", "PostShift=%t"])
def test_a_zero_post_scale_or_a_shift_before_padding_is_not_moved(post: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[1,2,4,4]) {{
          %w = const float32[2,2,3,3] random(1)
          %zero = const float32[2] [1.0, 0.0]
          %t = const float32[1] [0.5]
          %held = no_such_op(X=[%zero, %t])
          Output=%c = conv2d(Input=%x, Filter=%w, {post}) {{paddings=[1, 1]}} : float32[1,2,4,4]
          Output=%y = conv2d(Input=%c, Filter=%w) {{paddings=[1, 1]}} : float32[1,2,4,4]
          return %y, %held
        }}
        """,
    )
