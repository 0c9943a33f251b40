"""Transposes that change nothing, and transposes of transposes."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "redundant_transpose_eliminate_pass"

TEXT = """
graph main(%x: int64[2,3,4]) {
  %a = transpose2(X=%x) {axis=[0, 2, 1]} : int64[2,4,3]
  %y = transpose2(X=%a) {axis=[1, 0, 2]} : int64[4,2,3]
  return out=%y
}
"""


def test_two_transposes_become_one() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: int64[2,3,4]) {
          %y = transpose2(X=%x) {axis=[2, 0, 1]} : int64[4,2,3]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("axis", ["[0, 2, 1]", "[0, -1, -2]"])
def test_inverse_transposes_are_removed(axis: str) -> None:
    check(
        PASS,
        TEXT.replace("[1, 0, 2]} : int64[4,2,3]", f"{axis}}} : int64[2,3,4]"),
        "graph main(%x: int64[2,3,4]) {\nreturn out=%x\n}",
    )


@pytest.mark.parametrize("axis", ["[0, 1, 2]", "[0, 1, -1]"])
def test_an_identity_transpose_is_removed(axis: str) -> None:
    check(
        PASS,
        f"""
        graph main(%x: float32[2,3,4]) {{
          %a = transpose2(X=%x) {{axis={axis}}} : float32[2,3,4]
          %y = relu(X=%a) : float32[2,3,4]
          return %y, %a
        }}
        """,
        """
        graph main(%x: float32[2,3,4]) {
          %y = relu(X=%x) : float32[2,3,4]
          return %y, a=%x
        }
        """,
    )


def test_a_chain_of_transposes_becomes_one() -> None:
    check_fused(
        PASS,
        """
        graph main(%x: float32[2,3,4]) {
          %a = transpose2(X=%x) {axis=[0, 2, 1]} : float32[2,4,3]
          %b = transpose2(X=%a) {axis=[1, 2, 0]} : float32[4,3,2]
          %y = transpose2(X=%b) {axis=[1, 0, 2]} : float32[3,4,2]
          return %y, %a
        }
        """,
        ["transpose2", "transpose2"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%y = transpose2(X=%a)", "%b = flip(X=%a) {axis=[0]} : int64[2,4,3]\n%y = transpose2(X=%b)"),
        ("[0, 2, 1]} : int64[2,4,3]", "[0, 2, 1]} : int64[2,4,3] quant([0.5], [0], -1, int8)"),
        ("[1, 0, 2]} : int64[4,2,3]", "[1, 0, 2]} : int64[4,2,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_separated_or_quantised_transposes_are_kept(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
