"""A transposition of the last two axes between two inverse reshapes."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "reshape_transpose_reshape_fuse_pass"

KNOWN = """
graph main(%x: float32[2,4,9,6]) {
  %a = reshape2(X=%x) {shape=[8, 9, 6]} : float32[8,9,6]
  %b = transpose2(X=%a) {axis=[0, 2, 1]} : float32[8,6,9]
  %y = reshape2(X=%b) {shape=[2, 4, 6, 9]} : float32[2,4,6,9]
  return out=%y
}
"""

OPEN = """
graph main(%x: float32[n,2,2,9,6]) {
  %a = reshape2(X=%x) {shape=[-1, 9, 6]} : float32[?,9,6]
  %b = transpose2(X=%a) {axis=[0, 2, 1]} : float32[?,6,9]
  %y = reshape2(X=%b) {shape=[-1, 4, 6, 9]} : float32[?,4,6,9]
  return out=%y
}
"""


def test_inverse_reshapes_are_removed() -> None:
    check(
        PASS,
        KNOWN,
        """
        graph main(%x: float32[2,4,9,6]) {
          %y = transpose2(X=%x) {axis=[0, 1, 3, 2]} : float32[2,4,6,9]
          return out=%y
        }
        """,
    )


def test_a_reshape_to_another_shape_remains() -> None:
    check(
        PASS,
        OPEN,
        """
        graph main(%x: float32[n,2,2,9,6]) {
          %a#1 = reshape2(X=%x) {shape=[-1, 4, 9, 6]} : float32[?,4,9,6]
          %y = transpose2(X=%a#1) {axis=[0, 1, 3, 2]} : float32[?,4,6,9]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize(
    ("text", "ops"), [(KNOWN, ["transpose2"]), (OPEN.replace("n,", "3,"), ["reshape2", "transpose2"])]
)
def test_the_result_is_the_same(text: str, ops: list[str]) -> None:
    check_fused(PASS, text, ops)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (KNOWN, "return out=%y", "return out=%y, %b"),
        (KNOWN, "return out=%y", "%z = relu(X=%a) : float32[8,9,6]\nreturn out=%y, %z"),
        (KNOWN, "{axis=[0, 2, 1]} : float32[8,6,9]", "{axis=[1, 0, 2]} : float32[9,8,6]"),
        (KNOWN, "{shape=[2, 4, 6, 9]} : float32[2,4,6,9]", "{shape=[2, 4, 54]} : float32[2,4,54]"),
        (KNOWN, "{shape=[2, 4, 6, 9]} : float32[2,4,6,9]", "{shape=[2, 4, 9, 6]} : float32[2,4,9,6]"),
        (KNOWN, "{shape=[2, 4, 6, 9]} : float32[2,4,6,9]", "{shape=[432]} : float32[432]"),
        (
            OPEN,
            "{shape=[-1, 9, 6]} : float32[?,9,6]",
            "{shape=[-1, 9, 6]} : float32[?,9,6] quant([0.5], [0], -1, int8)",
        ),
    ],
)
def test_other_reshapes_are_kept(text: str, old: str, new: str) -> None:
    assert old in text
    check_unchanged(PASS, text.replace(old, new))
