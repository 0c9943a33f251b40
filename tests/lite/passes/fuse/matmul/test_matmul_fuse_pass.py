"""Products with a constant matrix become mul."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "matmul_fuse_pass"

TEXT = """
graph main(%x: float32[?,5,2], %m: float32[2,3], %u: float32[*], %v: float32[2], %t: float32[2,5]) {
  %w = const float32[2,3] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  %h = const float16[2,3] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  %k = const float32[1,2,3] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  %held = no_such_op(X=[%w, %h, %k])
  %y = matmul_v2(X=%x, Y=%w) {trans_x=false} : float32[?,5,3]
  return out=%y, %held
}
"""


def test_a_product_with_a_constant_matrix_becomes_mul() -> None:
    check(
        PASS,
        TEXT,
        TEXT.replace("matmul_v2", "mul").replace("trans_x=false", "x_num_col_dims=2, y_num_col_dims=1"),
    )


@pytest.mark.parametrize("x", ["?,2", "3,5,2", "2,3,4,2"])
@pytest.mark.parametrize(("w", "trans"), [("2,3", "false"), ("3,2", "true")])
def test_every_shape_computes_the_same(x: str, w: str, trans: str) -> None:
    graph = check_fused(
        PASS,
        f"""
        graph main(%x: float32[{x}]) {{
          %w = const float32[{w}] random(1)
          %y = matmul_v2(X=%x, Y=%w) {{trans_y={trans}}} : float32[*]
          return %y
        }}
        """,
        ["mul"],
    )
    [matrix] = graph.constants.values()
    assert matrix.shape == (2, 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Y=%w)", "Y=%m)"),
        ("Y=%w)", "Y=%h)"),
        ("Y=%w)", "Y=%k)"),
        ("X=%x", "X=%u"),
        ("X=%x", "X=%v"),
        ("X=%x, Y=%w) {trans_x=false", "X=%t, Y=%w) {trans_x=true"),
        ("float32[?,5,3]", "float32[?,5,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_products_are_unchanged(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
