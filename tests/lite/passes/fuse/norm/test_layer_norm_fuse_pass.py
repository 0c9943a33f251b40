"""The ops of layer_norm's formula become layer_norm."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "layer_norm_fuse_pass"

TEXT = """
graph main(%x: float32[2,3,4], %v: float32[2,3,1]) {
  %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %b = const float32[4] [5.0, 6.0, 7.0, 8.0]
  %m = reduce_mean(X=%x) {dim=[-1], keep_dim=true} : float32[2,3,1]
  %d = elementwise_sub(X=%x, Y=%m) : float32[2,3,4]
  %q = square(X=%d) : float32[2,3,4]
  %n = reduce_mean(X=%q) {dim=[2], keep_dim=true} : float32[2,3,1]
  %e = scale(X=%n) {scale=1.0, bias=0.25} : float32[2,3,1]
  %s = sqrt(X=%e) : float32[2,3,1]
  %r = elementwise_div(X=%d, Y=%s) : float32[2,3,4]
  %p = elementwise_mul(X=%r, Y=%w) : float32[2,3,4]
  %y = elementwise_add(X=%p, Y=%b) : float32[2,3,4]
  return out=%y
}
"""


def test_formula_becomes_layer_norm() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3,4], %v: float32[2,3,1]) {
          %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
          %b = const float32[4] [5.0, 6.0, 7.0, 8.0]
          Y=%y = layer_norm(X=%x, Scale=%w, Bias=%b) {epsilon=0.25, begin_norm_axis=2} : float32[2,3,4]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("axes", ["[-1]", "[2, 1]"])
@pytest.mark.parametrize("square", ["square(X=%d)", "pow(X=%d) {factor=2.0}", "elementwise_mul(X=%d, Y=%d)"])
@pytest.mark.parametrize(
    "root",
    [
        "%s = sqrt(X=%e) : float32[*]\n%r = elementwise_div(X=%d, Y=%s) : float32[2,3,4]",
        "%s = rsqrt(X=%e) : float32[*]\n%r = elementwise_mul(X=%s, Y=%d) : float32[2,3,4]",
        (
            "%t = sqrt(X=%e) : float32[*]\n%s = reciprocal(X=%t) : float32[*]\n"
            "%r = elementwise_mul(X=%d, Y=%s) : float32[2,3,4]"
        ),
        "%s = pow(X=%e) {factor=0.5} : float32[*]\n%r = elementwise_div(X=%d, Y=%s) : float32[2,3,4]",
    ],
)
def test_every_form_of_the_formula_is_fused(axes: str, square: str, root: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[2,3,4]) {{
          %m = reduce_mean(X=%x) {{dim={axes}, keep_dim=true}} : float32[*]
          %d = elementwise_sub(X=%x, Y=%m) : float32[2,3,4]
          %q = {square} : float32[2,3,4]
          %n = reduce_mean(X=%q) {{dim={axes}, keep_dim=true}} : float32[2,1,1]
          %eps = const float32[1] [0.01]
          %e = elementwise_add(X=%n, Y=%eps) : float32[*]
          {root}
          return %r
        }}
        """,
        ["layer_norm"],
    )


@pytest.mark.parametrize(
    ("scale", "bias", "ops"),
    [
        ("elementwise_mul(X=%w, Y=%r)", "elementwise_add(X=%b, Y=%p)", []),
        ("elementwise_mul(X=%r, Y=%w) {axis=2}", "elementwise_sub(X=%p, Y=%b)", ["elementwise_sub"]),
        (
            "elementwise_mul(X=%r, Y=%w) {scale=2.0}",
            "elementwise_add(X=%p, Y=%b)",
            ["elementwise_mul", "elementwise_add"],
        ),
        (
            "elementwise_mul(X=%r, Y=%c)",
            "elementwise_add(X=%p, Y=%b)",
            ["elementwise_mul", "elementwise_add"],
        ),
        ("elementwise_mul(X=%r, Y=%f)", "elementwise_add(X=%p, Y=%b)", []),
        (
            "elementwise_mul(X=%r, Y=%r)",
            "elementwise_add(X=%p, Y=%b)",
            ["elementwise_mul", "elementwise_add"],
        ),
        ("elementwise_add(X=%r, Y=%w)", "elementwise_mul(X=%p, Y=%b)", ["elementwise_mul"]),
    ],
)
def test_every_scale_and_bias_is_fused(scale: str, bias: str, ops: list[str]) -> None:
    text = TEXT.replace("elementwise_mul(X=%r, Y=%w)", scale).replace("elementwise_add(X=%p, Y=%b)", bias)
    more = "%c = const float32[3,1] [1.0, 2.0, 3.0]\n  %f = const float32[1,4] [1.0, 2.0, 3.0, 5.0]\n  %w ="
    check_fused(PASS, text.replace("%w =", more), ["layer_norm", *ops])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %d"),
        ("return out=%y", "%z = relu(X=%d)\nreturn out=%y, %z"),
        ("return out=%y", "%z = relu(X=%q)\nreturn out=%y, %z"),
        ("return out=%y", "%z = relu(X=%e)\nreturn out=%y, %z"),
        ("return out=%y", "return out=%y, %m"),
        ("X=%q) {dim=[2]", "X=%q) {dim=[1]"),
        ("X=%x) {dim=[-1], keep_dim=true", "X=%x) {dim=[0], keep_dim=true"),
        ("bias=0.25", "bias=-0.25"),
        ("scale=1.0, bias", "scale=2.0, bias"),
        ("X=%d, Y=%s", "X=%x, Y=%s"),
        ("square", "abs"),
        ("sqrt(X=%e)", "rsqrt(X=%e)"),
        ("Y=%m)", "Y=%v)"),
        ("square(X=%d) : float32[2,3,4]", "square(X=%d) : float32[2,3,4] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_formulas_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
