"""softmax of the last axis between two inverse reshapes."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "reshape_softmax_reshape_fuse_pass"

TEXT = """
graph main(%x: float32[?,?,5]) {
  %s = shape(Input=%x) : int32[3]
  %l = cast(X=%s) {in_dtype=2, out_dtype=3} : int64[3]
  %a = flatten2(X=%x) {axis=2} : float32[?,5]
  %b = softmax(X=%a) {axis=-1} : float32[?,5]
  %y = reshape2(X=%b, Shape=%l) {shape=[]} : float32[?,?,5]
  return out=%y
}
"""

KNOWN = """
graph main(%x: float32[2,3,4,5]) {
  %a = reshape2(X=%x) {shape=[6, 4, 5]} : float32[6,4,5]
  %b = softmax(X=%a) {axis=2} : float32[6,4,5]
  %y = reshape2(X=%b) {shape=[2, 3, 4, 5]} : float32[2,3,4,5]
  return out=%y
}
"""


def test_reshapes_to_unknown_sizes_are_removed() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[?,?,5]) {
          %y = softmax(X=%x) {axis=-1} : float32[?,?,5]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("text", [TEXT, KNOWN])
def test_the_result_is_the_same(text: str) -> None:
    check_fused(PASS, text, ["softmax"])


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (TEXT, "return out=%y", "return out=%y, %b"),
        (TEXT, "return out=%y", "%z = relu(X=%a) : float32[?,5]\nreturn out=%y, %z"),
        (TEXT, "{axis=-1}", "{axis=0}"),
        (TEXT, "softmax(X=%a) {axis=-1}", "relu(X=%a)"),
        (TEXT, "{axis=2} : float32[?,5]", "{axis=1} : float32[?,?]"),
        (TEXT, "shape(Input=%x) : int32[3]", "assign(X=%t) : int32[3]"),
        (KNOWN, "{axis=2}", "{axis=1}"),
        (KNOWN, "{shape=[2, 3, 4, 5]} : float32[2,3,4,5]", "{shape=[3, 2, 4, 5]} : float32[3,2,4,5]"),
        (KNOWN, "{axis=2} : float32[6,4,5]", "{axis=2} : float32[6,4,5] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_reshapes_are_kept(text: str, old: str, new: str) -> None:
    assert old in text
    text = text.replace(old, new)
    if "%t" in text:
        text = text.replace("(%x: float32[?,?,5])", "(%x: float32[?,?,5], %t: int32[3])")
    check_unchanged(PASS, text)
