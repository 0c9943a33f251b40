"""A scale after a product of two tensors is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "elementwise_scale_fuse_pass"

TEXT = """
graph main(%x: float32[2,3], %v: float32[3]) {
  %a = elementwise_mul(X=%x, Y=%v) {axis=-1, scale=2.0, bias=1.0} : float32[2,3]
  %y = scale(X=%a) {scale=3.0, bias=0.5} : float32[2,3]
  return out=%y
}
"""


def test_attributes_of_the_scale_move_to_the_product() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3], %v: float32[3]) {
          %y = elementwise_mul(X=%x, Y=%v) {axis=-1, scale=6.0, bias=3.5} : float32[2,3]
          return out=%y
        }
        """,
    )


def test_fused_graph_computes_the_same() -> None:
    check_fused(PASS, TEXT, ["elementwise_mul"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%a)\nreturn out=%y, %z"),
        ("elementwise_mul(X=%x, Y=%v) {axis=-1, scale=2.0, bias=1.0}", "elementwise_add(X=%x, Y=%v)"),
        ("bias=0.5", 'bias=0.5, activation="relu"'),
        ("float32[2,3]\n  return", "float32[2,3] quant([0.5], [0], -1, int8)\n  return"),
        ("float32", "int32"),
        (
            "scale=2.0, bias=1.0} : float32[2,3]\n  %y = scale(X=%a) {scale=3.0",
            "scale=1e30} : float32[2,3]\n  %y = scale(X=%a) {scale=1e30",
        ),
    ],
)
def test_other_scales_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
