"""Arithmetic with one number becomes scale."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "scalar_elementwise_to_scale_pass"


def test_arithmetic_with_a_number_becomes_scale() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[?,4]) {
          %c = const float32[1] [2.0]
          %y = elementwise_mul(X=%c, Y=%x) {axis=-1} : float32[?,4]
          %z = elementwise_add(X=%y, Y=%c) : float32[?,4]
          return out=%z, %y
        }
        """,
        """
        graph main(%x: float32[?,4]) {
          %y = scale(X=%x) {scale=2.0, bias=0.0} : float32[?,4]
          %z = scale(X=%y) {scale=1.0, bias=2.0} : float32[?,4]
          return out=%z, %y
        }
        """,
    )


@pytest.mark.parametrize("op", ["elementwise_mul(X=%x, Y=%one)", "elementwise_sub(X=%x, Y=%zero)"])
def test_arithmetic_without_effect_is_removed(op: str) -> None:
    check(
        PASS,
        f"""
        graph main(%x: float32[2]) {{
          %one = const float32[1] [1.0]
          %zero = const float32[] [0.0]
          %y = {op} : float32[2]
          %z = tanh(X=%y) : float32[2]
          return %y, %z
        }}
        """,
        """
        graph main(%x: float32[2]) {
          %z = tanh(X=%x) : float32[2]
          return y=%x, %z
        }
        """,
    )


@pytest.mark.parametrize(
    "op",
    [
        "elementwise_add(X=%x, Y=%c)",
        "elementwise_add(X=%c, Y=%x)",
        "elementwise_sub(X=%x, Y=%c)",
        "elementwise_sub(X=%c, Y=%x)",
        "elementwise_mul(X=%x, Y=%c) {scale=0.5, bias=2.0}",
        "elementwise_mul(X=%c, Y=%x) {axis=0}",
        "elementwise_div(X=%x, Y=%c)",
    ],
)
@pytest.mark.parametrize("shape", ["1", "", "1,1,1"])
def test_every_operation_computes_the_same(op: str, shape: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[2,3,4]) {{
          %c = const float32[{shape}] [-1.75]
          %y = {op} : float32[2,3,4]
          return %y
        }}
        """,
        ["scale"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("elementwise_mul(X=%x, Y=%c)", "elementwise_div(X=%c, Y=%x)"),
        ("elementwise_mul(X=%x, Y=%c)", "elementwise_max(X=%x, Y=%c)"),
        ("Y=%c", "Y=%v"),
        ("Y=%c", "Y=%s"),
        ("Y=%c", "Y=%r"),
        ("Y=%c", "Y=%h"),
        ("X=%x", "X=%u"),
        ("X=%x, Y=%c", "X=%i, Y=%n"),
        (": float32[3]\n", ": float32[3] quant([0.5], [0], -1, int8)\n"),
        ("elementwise_mul(X=%x, Y=%c)", "elementwise_div(X=%x, Y=%zero)"),
    ],
)
def test_other_arithmetic_is_unchanged(old: str, new: str) -> None:
    text = """
        graph main(%x: float32[3], %s: float32[1], %u: float32[*], %i: int32[3]) {
          %c = const float32[1] [2.0]
          %v = const float32[3] [1.0, 2.0, 3.0]
          %r = const float32[1,1] [2.0]
          %h = const float16[1] [2.0]
          %n = const int32[1] [2]
          %zero = const float32[1] [0.0]
          %held = no_such_op(X=[%c, %v, %r, %h, %n, %zero])
          %y = elementwise_mul(X=%x, Y=%c) : float32[3]
          return %y, %held
        }
        """

    assert old in text
    check_unchanged(PASS, text.replace(old, new))
