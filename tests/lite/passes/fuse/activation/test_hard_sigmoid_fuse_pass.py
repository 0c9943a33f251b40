"""The ops of hard_sigmoid's formula become hard_sigmoid."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "hard_sigmoid_fuse_pass"

TEXT = """
graph main(%x: float32[2,3], %v: float32[2,3]) {
  %a = scale(X=%x) {scale=1.0, bias=2.0} : float32[2,3]
  %b = clip(X=%a) {min=0.0, max=4.0} : float32[2,3]
  %y = scale(X=%b) {scale=0.25} : float32[2,3]
  return out=%y
}
"""


def test_formula_becomes_hard_sigmoid() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3], %v: float32[2,3]) {
          %y = hard_sigmoid(X=%x) {slope=0.25, offset=0.5} : float32[2,3]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize(
    "shift", ["scale(X=%x) {bias=3.0}", "elementwise_add(X=%x, Y=%three)", "scale(X=%x) {scale=-2.0}"]
)
@pytest.mark.parametrize("cut", ["relu6(X=%a)", "clip(X=%a) {min=0.0, max=6.0}"])
@pytest.mark.parametrize("last", ["scale(X=%b) {scale=0.16666667}", "elementwise_div(X=%b, Y=%six)"])
def test_every_form_of_the_formula_is_fused(shift: str, cut: str, last: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[8,9]) {{
          %three = const float32[1] [3.0]
          %six = const float32[1] [6.0]
          %a = {shift} : float32[8,9]
          %b = {cut} : float32[8,9]
          %y = {last} : float32[8,9]
          return %y
        }}
        """,
        ["hard_sigmoid"],
    )


def test_a_formula_without_a_final_scale_is_fused() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[8,9]) {
          %a = scale(X=%x) {scale=0.2, bias=0.5} : float32[8,9]
          %y = clip(X=%a) {min=0.0, max=1.0} : float32[8,9]
          return %y
        }
        """,
        ["hard_sigmoid"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%b)\nreturn out=%y, %z"),
        ("min=0.0", "min=-1.0"),
        ("max=4.0", "max=6.0"),
        ("X=%a)", "X=%v)"),
        ("X=%a)", "X=%a, Max=%v)"),
        ("scale=0.25", "scale=0.25, bias=1.0"),
        ("{scale=0.25} : float32[2,3]", "{scale=0.25} : float32[2,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_formulas_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
