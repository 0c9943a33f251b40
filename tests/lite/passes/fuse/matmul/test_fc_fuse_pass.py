"""A product with a constant matrix, a bias and a relu becomes fc."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "fc_fuse_pass"


def test_product_bias_and_relu_become_fc() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,2]) {
          %w = const float32[2,1] [1.0, 2.0]
          %b = const float32[1] [3.0]
          %p = matmul_v2(X=%x, Y=%w) : float32[2,1]
          %s = elementwise_add(X=%p, Y=%b) {axis=-1} : float32[2,1]
          %y = relu(X=%s) : float32[2,1]
          return out=%y
        }
        """,
        """
        graph main(%x: float32[2,2]) {
          %w = const float32[2,1] [1.0, 2.0]
          %b = const float32[1] [3.0]
          %y = fc(Input=%x, W=%w, Bias=%b) {in_num_col_dims=1, activation="relu"} : float32[2,1]
          return out=%y
        }
        """,
    )


def test_relu_is_separate_from_fc_if_the_sum_is_read() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,2]) {
          %w = const float32[2,1] [1.0, 2.0]
          %b = const float32[1,1] [3.0]
          %p = mul(X=%x, Y=%w) : float32[2,1]
          %s = elementwise_add(X=%b, Y=%p) {axis=-1} : float32[2,1]
          %y = relu(X=%s) : float32[2,1]
          return %y, %s
        }
        """,
        """
        graph main(%x: float32[2,2]) {
          %w = const float32[2,1] [1.0, 2.0]
          %b_1 = const float32[1] [3.0]
          %s = fc(Input=%x, W=%w, Bias=%b_1) {in_num_col_dims=1} : float32[2,1]
          %y = relu(X=%s) : float32[2,1]
          return %y, %s
        }
        """,
    )


@pytest.mark.parametrize(
    ("x", "w", "product"),
    [
        ("?,4", "4,3", "mul(X=%x, Y=%w)"),
        ("2,5,4", "4,3", "mul(X=%x, Y=%w) {x_num_col_dims=2}"),
        ("2,2,2", "4,3", "mul(X=%x, Y=%w) {x_num_col_dims=1}"),
        ("2,4", "4,3", "matmul_v2(X=%x, Y=%w)"),
        ("?,5,4", "4,3", "matmul_v2(X=%x, Y=%w)"),
        ("2,5,4", "3,4", "matmul_v2(X=%x, Y=%w) {trans_y=true}"),
    ],
)
@pytest.mark.parametrize(("bias", "axis"), [("3", -1), ("1,3", -1), ("1", -1)])
def test_every_product_is_fused(x: str, w: str, product: str, bias: str, axis: int) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[{x}]) {{
          %w = const float32[{w}] random(1)
          %b = const float32[{bias}] random(2)
          %p = {product} : float32[*]
          %s = elementwise_add(X=%p, Y=%b) {{axis={axis}}} : float32[*]
          %y = relu(X=%s) : float32[*]
          return %y
        }}
        """,
        ["fc"],
    )


def test_a_shared_matrix_is_not_changed() -> None:
    graph = check_fused(
        PASS,
        """
        graph main(%x: float32[2,4], %z: float32[2,3]) {
          %w = const float32[3,4] random(1)
          %b = const float32[3] random(2)
          %p = matmul_v2(X=%x, Y=%w) {trans_y=true} : float32[2,3]
          %s = elementwise_add(X=%p, Y=%b) {axis=1} : float32[2,3]
          %q = matmul_v2(X=%z, Y=%w) : float32[2,4]
          return %s, %q
        }
        """,
        ["fc", "matmul_v2"],
    )
    assert sorted(graph.constants) == ["b", "w", "w_1"]


FIRES = """
graph main(%x: float32[2,4], %t: float32[4,2], %u: float32[*], %v: float32[4,3], %r: float32[2,3]) {
  %w = const float32[4,3] random(1)
  %b = const float32[3] [1.0, 2.0, 3.0]
  %held = no_such_op(X=[%w, %b])
  %p = matmul_v2(X=%x, Y=%w) {trans_x=false} : float32[2,3]
  %y = elementwise_add(X=%p, Y=%b) : float32[2,3]
  return %y, %held
}
"""


def test_unchanged_text_is_fused() -> None:
    graph = parse_graph(FIRES)

    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["no_such_op", "fc"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Y=%w", "Y=%v"),
        ("Y=%b", "Y=%r"),
        ("return %y", "return %y, %p"),
        ("return %y", "%z = relu(X=%p) return %y, %z"),
        ("X=%x, Y=%w) {trans_x=false}", "X=%t, Y=%w) {trans_x=true}"),
        ("trans_x=false} : float32[2,3]", "trans_x=false} : float32[2,3] quant([0.5], [0], -1, int8)"),
        ("X=%x", "X=%u"),
        ("elementwise_add", "elementwise_sub"),
        ("X=%p, Y=%b", "X=%r, Y=%b"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new)

    assert text != FIRES
    check_unchanged(PASS, text)
