"""A constant added to a convolution's output becomes its bias."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_elementwise_fuse_pass"


def test_an_added_constant_becomes_the_bias() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b = const float32[2] [1.0, 2.0]
          Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          %y = elementwise_add(X=%c, Y=%b) {axis=1} : float32[1,2,4,4]
          return out=%y
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b_1 = const float32[2] [1.0, 2.0]
          Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b_1) : float32[1,2,4,4]
          return out=%y
        }
        """,
    )


def test_a_constant_is_added_to_a_copy_of_a_shared_bias() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %a = const float32[2] [10.0, 20.0]
          %b = const float32[1,2,1,1] [1.0, 2.0]
          Output=%c = conv2d(Input=%x, Filter=%w, Bias=%a) : float32[1,2,4,4]
          Output=%d = conv2d(Input=%x, Filter=%w, Bias=%a) : float32[1,2,4,4]
          %y = elementwise_add(X=%b, Y=%c) : float32[1,2,4,4]
          return %y, %d
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %a = const float32[2] [10.0, 20.0]
          %b_1 = const float32[2] [11.0, 22.0]
          Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b_1) : float32[1,2,4,4]
          Output=%d = conv2d(Input=%x, Filter=%w, Bias=%a) : float32[1,2,4,4]
          return %y, %d
        }
        """,
    )


@pytest.mark.parametrize(
    ("shape", "axis"),
    [("4", 1), ("4,1,1", -1), ("4,1,1", 1), ("1,4,1,1", -1), ("1,4,1,1", 0), ("1", -1), ("1,1", 2), ("", -1)],
)
@pytest.mark.parametrize(
    ("op", "filter_shape", "groups"),
    [("conv2d", "4,1,2,2", 2), ("conv2d_transpose", "2,4,2,2", 1), ("conv2d_transpose", "2,2,2,2", 2)],
)
def test_every_spelling_of_the_sum_is_fused(
    shape: str, axis: int, op: str, filter_shape: str, groups: int
) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,2,5,5]) {{
          %w = const float32[{filter_shape}] random(1)
          %b = const float32[{shape}] random(2)
          Output=%c = {op}(Input=%x, Filter=%w) {{groups={groups}}} : float32[*]
          %y = elementwise_add(X=%c, Y=%b) {{axis={axis}}} : float32[*]
          return %y
        }}
        """,
        [op],
    )


FIRES = """
graph main(%x: float32[1,1,4,4], %f: float32[2,1,1,1], %r: float32[1,2,4,4]) {
  %w = const float32[2,1,1,1] [1.5, -2.0]
  %b = const float32[2] [1.0, 2.0]
  %rows = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %pixels = const float32[4,4] random(3)
  %held = no_such_op(X=[%w, %b, %rows, %pixels])
  Output=%c = conv2d(Input=%x, Filter=%w) {groups=1} : float32[1,2,4,4]
  %y = elementwise_add(X=%c, Y=%b) {axis=1} : float32[1,2,4,4]
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
        ("Y=%b) {axis=1}", "Y=%pixels) {axis=-1}"),
        ("Y=%b) {axis=1}", "Y=%r) {axis=-1}"),
        ("Y=%b) {axis=1}", "Y=%c) {axis=-1}"),
        ("Filter=%w", "Filter=%f"),
        ("groups=1", 'activation="relu"'),
        ("return %y", "return %y, %c"),
        ("return %y", "%z = relu(X=%c) return %y, %z"),
        ("{groups=1} : float32[1,2,4,4]", "{groups=1} : float32[1,2,4,4] quant([0.5], [0], -1, int8)"),
        ("elementwise_add", "elementwise_sub"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new)

    assert text != FIRES
    check_unchanged(PASS, text)
