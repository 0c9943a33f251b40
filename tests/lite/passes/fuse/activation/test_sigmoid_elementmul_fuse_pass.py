"""The product sigmoid(x) · x becomes swish."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "sigmoid_elementmul_fuse_pass"

TEXT = """
graph main(%x: float32[2,3], %v: float32[2,3]) {
  %g = sigmoid(X=%x) : float32[2,3]
  %y = elementwise_mul(X=%x, Y=%g) : float32[2,3]
  return out=%y
}
"""


def test_product_becomes_swish() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3], %v: float32[2,3]) {
          %y = swish(X=%x) {beta=1.0} : float32[2,3]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize(
    ("body", "ops"),
    [
        ("%g = sigmoid(X=%x) : float32[2,3]\n%y = elementwise_mul(X=%g, Y=%x) : float32[2,3]", ["swish"]),
        (
            (
                "%s = scale(X=%x) {scale=1.7} : float32[2,3]\n%g = sigmoid(X=%s) : float32[2,3]\n"
                "%y = elementwise_mul(X=%g, Y=%x) : float32[2,3]"
            ),
            ["swish"],
        ),
        (
            (
                "%s = scale(X=%x) {scale=1.7} : float32[2,3]\n%g = sigmoid(X=%s) : float32[2,3]\n"
                "%y = elementwise_mul(X=%g, Y=%s) : float32[2,3]"
            ),
            ["scale", "swish"],
        ),
        (
            (
                "%h = const float32[1] [0.5]\n%s = elementwise_mul(X=%x, Y=%h) : float32[2,3]\n"
                "%g = sigmoid(X=%s) : float32[2,3]\n%y = elementwise_mul(X=%x, Y=%g) : float32[2,3]"
            ),
            ["swish"],
        ),
    ],
)
def test_every_form_of_the_product_is_fused(body: str, ops: list[str]) -> None:
    check_fused(PASS, f"graph main(%x: float32[2,3]) {{\n{body}\nreturn %y\n}}", ops)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %g"),
        ("return out=%y", "%z = relu(X=%g)\nreturn out=%y, %z"),
        ("X=%x, Y=%g)", "X=%v, Y=%g)"),
        ("X=%x, Y=%g)", "X=%x, Y=%g) {scale=2.0}"),
        ("X=%x, Y=%g)", "X=%x, Y=%g) {bias=2.0}"),
        ("elementwise_mul", "elementwise_add"),
        ("sigmoid", "tanh"),
        ("sigmoid(X=%x) : float32[2,3]", "sigmoid(X=%x) : float32[2,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_products_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
