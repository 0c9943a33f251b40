"""Transposes before a matrix product become its attributes."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_changed, check_fused

PASS = "transpose2_matmul_fuse_pass"

TEXT = """
graph main(%x: float32[2,3,4], %y: float32[2,5,4]) {
  %t = transpose2(X=%y) {axis=[0, 2, 1]} : float32[2,4,5]
  %z = matmul_v2(X=%x, Y=%t) {trans_x=false, trans_y=false} : float32[2,3,5]
  return out=%z
}
"""


def test_a_transpose_becomes_an_attribute() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3,4], %y: float32[2,5,4]) {
          %z = matmul_v2(X=%x, Y=%y) {trans_x=false, trans_y=true} : float32[2,3,5]
          return out=%z
        }
        """,
    )


HEADS = """
graph main(%x: float32[2,3,5,4], %y: float32[2,6,3,4]) {{
  %{t} = transpose2(X=%y) {{axis={axes}}} : float32[{shape}]
  %z = matmul_v2(X=%x, Y=%{t}) {{trans_x=false, trans_y={flag}}} : float32[2,3,5,6]
  return out=%z
}}
"""


def test_rows_of_heads_are_kept() -> None:
    before = HEADS.format(t="t", axes=[0, 2, 3, 1], shape="2,3,4,6", flag="false")
    after = HEADS.format(t="t#1", axes=[0, 2, 1, 3], shape="2,3,6,4", flag="true")
    check(PASS, before, after)
    check_unchanged(PASS, after)


SCALED = """
graph main(%x: float32[2,3,5,4], %y: float32[2,6,3,4]) {
  %t = transpose2(X=%y) {axis=[0, 2, 3, 1]} : float32[2,3,4,6]
  %s = scale(X=%t) {scale=0.5} : float32[2,3,4,6]
  %z = matmul_v2(X=%x, Y=%s) : float32[2,3,5,6]
  return out=%z
}
"""


def test_a_factor_comes_after_the_transposition() -> None:
    check(
        PASS,
        SCALED,
        """
        graph main(%x: float32[2,3,5,4], %y: float32[2,6,3,4]) {
          %t#1 = transpose2(X=%y) {axis=[0, 2, 1, 3]} : float32[2,3,6,4]
          %s#1 = scale(X=%t#1) {scale=0.5} : float32[2,3,6,4]
          %z = matmul_v2(X=%x, Y=%s#1) {trans_y=true} : float32[2,3,5,6]
          return out=%z
        }
        """,
    )
    check_changed(PASS, SCALED)
    swapped = SCALED.replace("%y: float32[2,6,3,4]", "%y: float32[2,3,6,4]").replace(
        "0, 2, 3, 1", "0, 1, 3, 2"
    )
    check_fused(PASS, swapped, ["scale", "matmul_v2"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{scale=0.5}", "{scale=0.5, bias=1.0}"),
        ("return out=%z", "return out=%z, %s"),
        ("return out=%z", "return out=%z, %t"),
        ("scale(X=%t) {scale=0.5}", "relu(X=%t)"),
    ],
)
def test_other_ops_in_between_are_kept(old: str, new: str) -> None:
    assert old in SCALED
    check_unchanged(PASS, SCALED.replace(old, new))


def test_a_transpose_with_another_reader_is_kept() -> None:
    text = HEADS.format(t="t", axes=[0, 2, 3, 1], shape="2,3,4,6", flag="false")
    check_unchanged(PASS, text.replace("return out=%z", "return out=%z, other=%t"))


@pytest.mark.parametrize(
    ("body", "ops"),
    [
        ("%t = transpose2(X=%b) {axis=[1, 0]} : float32[3,2]\n%z = matmul_v2(X=%t, Y=%c) : float32[*]", 1),
        ("%t = transpose2(X=%c) {axis=[-1, 0]} : float32[4,2]\n%z = matmul_v2(X=%t, Y=%b) : float32[*]", 1),
        (
            (
                "%t = transpose2(X=%b) {axis=[1, 0]} : float32[3,2]\n"
                "%u = transpose2(X=%t) {axis=[1, 0]} : float32[2,3]\n"
                "%z = matmul_v2(X=%u, Y=%c) {trans_x=true} : float32[*]"
            ),
            1,
        ),
        (
            (
                "%t = transpose2(X=%b) {axis=[1, 0]} : float32[3,2]\n"
                "%u = transpose2(X=%c) {axis=[1, 0]} : float32[4,2]\n"
                "%z = matmul_v2(X=%t, Y=%u) {trans_y=true} : float32[*]"
            ),
            1,
        ),
    ],
)
def test_every_form_of_transpose_is_fused(body: str, ops: int) -> None:
    text = f"graph main(%b: float32[2,3], %c: float32[2,4]) {{\n{body}\nreturn %z\n}}"
    check_fused(PASS, text, ["matmul_v2"] * ops)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%z", "return out=%z, %t"),
        ("return out=%z", "%u = relu(X=%t)\nreturn out=%z, %u"),
        ("axis=[0, 2, 1]", "axis=[1, 0, 2]"),
        ("axis=[0, 2, 1]} : float32[2,4,5]", "axis=[0, 2, 1]} : float32[2,4,5] quant([0.5], [0], -1, int8)"),
        ("X=%x, Y=%t", "X=%t, Y=%t"),
    ],
)
def test_other_transposes_are_kept(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))


def test_a_transpose_before_a_constant_matrix_is_kept_for_fc() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[2,4,3]) {
          %w = const float32[4,5] random(1)
          %t = transpose2(X=%x) {axis=[0, 2, 1]} : float32[2,3,4]
          %z = matmul_v2(X=%t, Y=%w) : float32[2,3,5]
          return %z
        }
        """,
    )
