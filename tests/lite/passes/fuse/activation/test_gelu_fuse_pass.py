"""The ops of gelu's formula become gelu."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "gelu_fuse_pass"

T = ": float32[4,5]"

TEXT = f"""
graph main(%x: float32[4,5], %v: float32[4,5]) {{
  %a = scale(X=%x) {{scale=0.70710678}} {T}
  %b = erf(X=%a) {T}
  %c = scale(X=%b) {{bias=1.0}} {T}
  %d = elementwise_mul(X=%x, Y=%c) {T}
  %y = scale(X=%d) {{scale=0.5}} {T}
  return out=%y
}}
"""


def test_formula_becomes_gelu() -> None:
    check(
        PASS,
        TEXT,
        f"""
        graph main(%x: float32[4,5], %v: float32[4,5]) {{
          %y = gelu(X=%x) {{approximate=false}} {T}
          return out=%y
        }}
        """,
    )


def check_gelu(body: list[str]) -> None:
    lines = "\n".join(f"{line} {T}" for line in body)
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[4,5]) {{
          %root = const float32[1] [1.4142135]
          %one = const float32[1] [1.0]
          %half = const float32[1] [0.5]
          %three = const float32[1] [3.0]
          %k = const float32[1] [0.044715]
          {lines}
          return %y
        }}
        """,
        ["gelu"],
    )


@pytest.mark.parametrize(
    "body",
    [
        [
            "%a = elementwise_div(X=%x, Y=%root)",
            "%b = erf(X=%a)",
            "%c = elementwise_add(X=%b, Y=%one)",
            "%h = elementwise_mul(X=%x, Y=%half)",
            "%y = elementwise_mul(X=%h, Y=%c)",
        ],
        [
            "%a = scale(X=%x) {scale=0.70710678}",
            "%b = erf(X=%a)",
            "%c = scale(X=%b) {scale=0.5, bias=0.5}",
            "%y = elementwise_mul(X=%c, Y=%x)",
        ],
        [
            "%a = scale(X=%x) {scale=0.70710678}",
            "%b = erf(X=%a)",
            "%c = scale(X=%b) {bias=1.0}",
            "%d = elementwise_mul(X=%half, Y=%c)",
            "%y = elementwise_mul(X=%d, Y=%x)",
        ],
    ],
)
def test_every_order_of_operands_is_fused(body: list[str]) -> None:
    check_gelu(body)


def test_an_input_that_is_a_multiple_is_fused() -> None:
    text = TEXT.replace("%a =", f"%u = scale(X=%v) {{scale=0.5}} {T}\n%a =").replace("X=%x", "X=%u")
    check_fused(PASS, text, ["scale", "gelu"])


@pytest.mark.parametrize(
    "cubic",
    [
        [
            "%p = pow(X=%x) {factor=3.0}",
            "%q = scale(X=%p) {scale=0.044715}",
            "%s = elementwise_add(X=%x, Y=%q)",
        ],
        [
            "%p = elementwise_pow(X=%x, Y=%three)",
            "%q = elementwise_mul(X=%k, Y=%p)",
            "%s = elementwise_add(X=%q, Y=%x)",
        ],
        [
            "%r = square(X=%x)",
            "%p = elementwise_mul(X=%r, Y=%x)",
            "%q = scale(X=%p) {scale=0.044715}",
            "%s = elementwise_add(X=%x, Y=%q)",
        ],
        [
            "%r = elementwise_mul(X=%x, Y=%x)",
            "%q = scale(X=%r) {scale=0.044715, bias=1.0}",
            "%s = elementwise_mul(X=%x, Y=%q)",
        ],
    ],
)
def test_every_form_of_the_cubic_term_is_fused(cubic: list[str]) -> None:
    check_gelu(
        [
            *cubic,
            "%t = scale(X=%s) {scale=0.79788456}",
            "%b = tanh(X=%t)",
            "%c = scale(X=%b) {bias=1.0}",
            "%d = elementwise_mul(X=%x, Y=%c)",
            "%y = scale(X=%d) {scale=0.5}",
        ]
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %b"),
        ("return out=%y", "%z = relu(X=%c)\nreturn out=%y, %z"),
        ("scale=0.70710678", "scale=0.7"),
        ("scale=0.70710678", "scale=0.70710678, bias=0.1"),
        ("bias=1.0", "bias=1.1"),
        ("scale=0.5", "scale=0.4"),
        ("X=%x, Y=%c", "X=%v, Y=%c"),
        ("erf(", "tanh("),
        (f"erf(X=%a) {T}", f"erf(X=%a) {T} quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_formulas_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
