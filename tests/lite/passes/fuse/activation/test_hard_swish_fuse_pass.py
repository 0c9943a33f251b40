"""The ops of hard_swish's formula become hard_swish."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "hard_swish_fuse_pass"

TEXT = """
graph main(%x: float32[2,3], %v: float32[2,3]) {
  %a = scale(X=%x) {scale=1.0, bias=2.0} : float32[2,3]
  %b = relu6(X=%a) {threshold=4.0} : float32[2,3]
  %c = elementwise_mul(X=%x, Y=%b) : float32[2,3]
  %y = scale(X=%c) {scale=0.25} : float32[2,3]
  return out=%y
}
"""


def test_formula_becomes_hard_swish() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3], %v: float32[2,3]) {
          %y = hard_swish(X=%x) {threshold=4.0, scale=4.0, offset=2.0} : float32[2,3]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize(
    "body",
    [
        (
            "%g = hard_sigmoid(X=%x) {slope=0.2, offset=0.4} : float32[8,9]\n"
            "%y = elementwise_mul(X=%g, Y=%x) : float32[8,9]"
        ),
        (
            "%a = elementwise_add(X=%x, Y=%three) : float32[8,9]\n"
            "%b = clip(X=%a) {min=0.0, max=6.0} : float32[8,9]\n"
            "%c = elementwise_div(X=%b, Y=%six) : float32[8,9]\n"
            "%y = elementwise_mul(X=%x, Y=%c) : float32[8,9]"
        ),
        (
            "%a = scale(X=%x) {bias=3.0} : float32[8,9]\n%b = relu6(X=%a) : float32[8,9]\n"
            "%s = scale(X=%x) {scale=0.125} : float32[8,9]\n%y = elementwise_mul(X=%s, Y=%b) : float32[8,9]"
        ),
        (
            "%a = scale(X=%x) {scale=0.5, bias=3.0} : float32[8,9]\n%b = relu6(X=%a) : float32[8,9]\n"
            "%y = elementwise_mul(X=%x, Y=%b) {scale=-2.0} : float32[8,9]"
        ),
    ],
)
def test_every_form_of_the_formula_is_fused(body: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[8,9]) {{
          %three = const float32[1] [3.0]
          %six = const float32[1] [6.0]
          {body}
          return %y
        }}
        """,
        ["hard_swish"],
    )


def test_a_scale_whose_input_is_read_is_kept() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[8,9]) {
          %g = hard_sigmoid(X=%x) {slope=0.2, offset=0.4} : float32[8,9]
          %c = elementwise_mul(X=%g, Y=%x) : float32[8,9]
          %y = scale(X=%c) {scale=0.25} : float32[8,9]
          return %y, %c
        }
        """,
        ["hard_swish", "scale"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%b)\nreturn out=%y, %z"),
        ("X=%x, Y=%b)", "X=%v, Y=%b)"),
        ("X=%x, Y=%b)", "X=%x, Y=%b) {bias=2.0}"),
        ("scale=1.0", "scale=-1.0"),
        ("relu6(X=%a) {threshold=4.0}", "clip(X=%a) {min=-1.0, max=4.0}"),
        ("{threshold=4.0} : float32[2,3]", "{threshold=4.0} : float32[2,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_formulas_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
