"""A scale after a scale is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "scales_fuse_pass"


def test_a_chain_of_scales_becomes_one() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %a = scale(X=%x) {scale=2.0, bias=1.0} : float32[2]
          %b = scale(X=%a) {scale=3.0, bias=0.5} : float32[2]
          %c = scale(X=%b) {scale=2.0, bias=4.0, bias_after_scale=false} : float32[2]
          return out=%c
        }
        """,
        """
        graph main(%x: float32[2]) {
          %c = scale(X=%x) {scale=12.0, bias=15.0, bias_after_scale=true} : float32[2]
          return out=%c
        }
        """,
    )


def test_scales_around_an_activation_are_fused() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %a = scale(X=%x) {scale=2.0, bias=1.0} : float32[2]
          %b = scale(X=%a) {scale=3.0, activation="relu"} : float32[2]
          %c = scale(X=%b) {scale=0.5, bias=0.25} : float32[2]
          return %c
        }
        """,
        """
        graph main(%x: float32[2]) {
          %c = scale(X=%x) {PARAMS} : float32[2]
          return %c
        }
        """.replace(
            "PARAMS",
            'scale=6.0, bias=3.0, bias_after_scale=true, activation="relu", activation_params=[], '
            "scale1=0.5, bias1=0.25",
        ),
    )


@pytest.mark.parametrize("first", ["scale=2.0, bias=1.0", "bias=3.0, bias_after_scale=false, scale=-0.5"])
@pytest.mark.parametrize(
    "middle", ["", ', activation="tanh"', ', activation="relu6", activation_params=[1.0]']
)
@pytest.mark.parametrize("last", ["scale=0.25, bias=-1.0", "bias=-7.0, bias_after_scale=false, scale=3.0"])
def test_every_form_of_scales_is_fused(first: str, middle: str, last: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[3,4]) {{
          %a = scale(X=%x) {{{first}}} : float32[3,4]
          %b = scale(X=%a) {{scale=1.5, bias=0.1{middle}}} : float32[3,4]
          %c = scale(X=%b) {{{last}}} : float32[3,4]
          return %c
        }}
        """,
        ["scale"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return %b", "return %b, %a"),
        ("return %b", "%c = relu(X=%a)\nreturn %b, %c"),
        ("X=%x) {scale=2.0", "X=%x, ScaleTensor=%s) {scale=2.0"),
        ("X=%a)", "X=%a, ScaleTensor=%s)"),
        ("bias=0.5}", 'bias=0.5, activation="relu"}'),
        (": float32[2]\n", ": float32[2] quant([0.5], [0], -1, int8)\n"),
        ("float32[2]", "int32[2]"),
        ("scale=3.0, bias=0.5", "scale=1e30, bias=0.5"),
        ("scale=3.0, bias=0.5", "scale=1.0, bias=-1.0"),
    ],
)
def test_other_scales_are_not_fused(old: str, new: str) -> None:
    text = """
        graph main(%x: float32[2], %s: float32[1]) {
          %a = scale(X=%x) {scale=2.0, bias=1.0, activation="ACT"} : float32[2]
          %b = scale(X=%a) {scale=3.0, bias=0.5} : float32[2]
          return %b
        }
        """.replace("ACT", "tanh" if "activation" in new else "")

    assert old in text
    if "1e30" in new:
        text = text.replace("scale=2.0", "scale=1e30")
    check_unchanged(PASS, text.replace(old, new))
