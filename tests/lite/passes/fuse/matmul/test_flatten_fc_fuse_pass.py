"""A view to a matrix before a product that flattens its input is removed."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "flatten_fc_fuse_pass"

TEXT = """
graph main(%x: float32[?,2,3,1]) {
  %w = const float32[6,2] random(1)
  %a = flatten_contiguous_range(X=%x) {start_axis=1, stop_axis=3} : float32[?,6]
  %y = fc(Input=%a, W=%w) {in_num_col_dims=1} : float32[?,2]
  return out=%y
}
"""


def test_a_view_before_a_product_is_removed() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[?,2,3,1]) {
          %w = const float32[6,2] random(1)
          %y = fc(Input=%x, W=%w) {in_num_col_dims=1} : float32[?,2]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize(
    ("x", "view", "shape", "product", "op"),
    [
        ("?,6,1,1", "squeeze2(X=%x) {axes=[2, 3]}", "?,6", "matmul_v2(X=%a, Y=%w)", "mul"),
        ("?,6,1,1", "reshape2(X=%x) {shape=[-1, 6]}", "?,6", "matmul_v2(X=%a, Y=%w)", "mul"),
        ("?,2,3", "flatten2(X=%x) {axis=1}", "?,6", "mul(X=%a, Y=%w)", "mul"),
        ("?,5,2,3", "reshape2(X=%x) {shape=[0, 0, -1]}", "?,5,6", "matmul_v2(X=%a, Y=%w)", "mul"),
        (
            "?,5,6",
            "reshape2(X=%x) {shape=[0, 5, 2, 3]}",
            "?,5,2,3",
            "fc(Input=%a, W=%w) {in_num_col_dims=2}",
            "fc",
        ),
        ("3,5,6", "unsqueeze2(X=%x) {axes=[2]}", "3,5,1,6", "fc(Input=%a, W=%w) {in_num_col_dims=2}", "fc"),
    ],
)
def test_every_kind_of_view_is_removed(x: str, view: str, shape: str, product: str, op: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[{x}]) {{
          %w = const float32[6,2] random(1)
          %a = {view} : float32[{shape}]
          %y = {product} : float32[*]
          return %y
        }}
        """,
        [op],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%a)\nreturn out=%y, %z"),
        ("fc(Input=%a, W=%w) {in_num_col_dims=1}", "matmul_v2(X=%a, Y=%w) {trans_y=true}"),
        ("start_axis=1, stop_axis=3} : float32[?,6]", "start_axis=0, stop_axis=1} : float32[?,3,1]"),
        ("stop_axis=3} : float32[?,6]", "stop_axis=3} : float32[?,6] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_views_are_kept(old: str, new: str) -> None:
    assert old in TEXT
    text = TEXT.replace("6,2", "2,6") if "trans_y" in new else TEXT
    text = text.replace("6,2", "3,2") if "float32[?,3,1]" in new else text
    check_unchanged(PASS, text.replace(old, new))


def test_a_view_with_other_rows_than_the_input_is_kept() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[?,?,6]) {
          %w = const float32[6,2] random(1)
          %a = reshape2(X=%x) {shape=[-1, 6]} : float32[?,6]
          %y = fc(Input=%a, W=%w) {in_num_col_dims=1} : float32[?,2]
          return out=%y
        }
        """,
    )
