"""Scales and other ops that return their input unchanged are removed."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "identity_scale_eliminate_pass"


@pytest.mark.parametrize(
    "op",
    ["scale(X=%a) {scale=1.0, bias=0.0}", "scale(X=%a)", "assign(X=%a)", "cast(X=%a) {out_dtype=5}"],
)
def test_an_identity_is_removed_and_the_result_keeps_its_name(op: str) -> None:
    check(
        PASS,
        f"""
        graph main(%x: float32[2]) {{
          %a = relu(X=%x) : float32[2]
          %b = {op} : float32[2]
          %c = tanh(X=%b)
          return %b, %c
        }}
        """,
        """
        graph main(%x: float32[2]) {
          %a = relu(X=%x) : float32[2]
          %c = tanh(X=%a)
          return b=%a, %c
        }
        """,
    )


def test_an_identity_in_a_loop_is_removed() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %c#1, %x#1 = while(Condition=%c, X=%x) {carried=2}
            graph block1(%c: bool[1], %x: float32[2]) {
              %y = relu(X=%x)
              %z = assign(X=%y)
              return c=%c, x=%z
            }
          return %x#1
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %c#1, %x#1 = while(Condition=%c, X=%x) {carried=2}
            graph block1(%c: bool[1], %x: float32[2]) {
              %y = relu(X=%x)
              return c=%c, x=%y
            }
          return %x#1
        }
        """,
    )


@pytest.mark.parametrize(
    "op",
    [
        "scale(X=%a) {scale=2.0}",
        "scale(X=%a) {bias=1.0}",
        'scale(X=%a) {activation="relu"}',
        "scale(X=%a) {scale1=2.0}",
        "scale(X=%a, ScaleTensor=%x)",
        "cast(X=%a) {out_dtype=3}",
        "cast(X=%u) {out_dtype=5}",
    ],
)
def test_an_op_that_changes_its_input_is_kept(op: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[1], %u: ?[2]) {{
          %a = relu(X=%x) : float32[2]
          %b = {op}
          return %b
        }}
        """,
    )


def test_an_identity_between_different_quantisations_is_kept() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[2]) {
          %b = assign(X=%x) : float32[2] quant([0.5], [0], -1, int8)
          return %b
        }
        """,
    )
