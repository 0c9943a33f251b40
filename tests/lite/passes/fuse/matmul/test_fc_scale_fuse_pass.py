"""A scale before or after a product with a constant matrix is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "fc_scale_fuse_pass"

TEXT = """
graph main(%x: float32[2,2], %m: float32[2,1]) {
  %w = const float32[2,1] [1.0, 2.0]
  %b = const float32[1] [4.0]
  %a = scale(X=%x) {scale=3.0, bias=0.0} : float32[2,2]
  %c = fc(Input=%a, W=%w, Bias=%b) {in_num_col_dims=1} : float32[2,1]
  %y = scale(X=%c) {scale=2.0, bias=1.0} : float32[2,1]
  return out=%y
}
"""


def test_the_scale_changes_copies_of_the_constants() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,2], %m: float32[2,1]) {
          %w_1 = const float32[2,1] [6.0, 12.0]
          %b_1 = const float32[1] [9.0]
          %y = fc(Input=%x, W=%w_1, Bias=%b_1) {in_num_col_dims=1} : float32[2,1]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("product", ["mul(X=%a, Y=%w)", "matmul_v2(X=%a, Y=%w)", "fc(Input=%a, W=%w)"])
def test_every_product_is_fused(product: str) -> None:
    text = TEXT.replace("fc(Input=%a, W=%w, Bias=%b) {in_num_col_dims=1}", product).replace(
        "bias=1.0", "bias=0.0"
    )
    check_fused(PASS, text, [product.partition("(")[0]])


@pytest.mark.parametrize(
    ("old", "new", "ops"),
    [
        ("bias=0.0", "bias=0.5", ["scale", "fc"]),
        ("return out=%y", "return out=%y, %a", ["scale", "fc"]),
        ("return out=%y", "return out=%y, %c", ["fc", "scale"]),
        ("in_num_col_dims=1", 'activation="relu"', ["fc", "scale"]),
        ("fc(Input=%a, W=%w, Bias=%b) {in_num_col_dims=1}", "mul(X=%a, Y=%w)", ["mul", "scale"]),
        ("return out=%y", "%z = relu(X=%w)\nreturn out=%y, %z", ["scale", "fc", "scale", "relu"]),
    ],
)
def test_only_scales_that_can_move_are_fused(old: str, new: str, ops: list[str]) -> None:
    assert old in TEXT
    check_fused(PASS, TEXT.replace(old, new), ops)


def test_a_computed_matrix_is_not_fused() -> None:
    check_unchanged(PASS, TEXT.replace("  %w = const float32[2,1] [1.0, 2.0]\n", "").replace("W=%w", "W=%m"))


def test_a_quantised_product_is_not_fused() -> None:
    check_unchanged(
        PASS, TEXT.replace("=1} : float32[2,1]", "=1} : float32[2,1] quant([0.5], [0], -1, int8)")
    )
