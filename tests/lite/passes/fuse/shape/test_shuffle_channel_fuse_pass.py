"""Channels shuffled by reshaping become shuffle_channel."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "shuffle_channel_fuse_pass"

TEXT = """
graph main(%x: float32[?,6,?,4]) {
  %a = reshape2(X=%x) {shape=[0, 2, 3, 0, 4]} : float32[?,2,3,?,4]
  %b = transpose2(X=%a) {axis=[0, 2, 1, 3, 4]} : float32[?,3,2,?,4]
  %y = reshape2(X=%b) {shape=[0, 6, -1, 4]} : float32[?,6,?,4]
  return out=%y
}
"""

STATIC = (
    TEXT.replace("?,6,?,4", "5,6,8,4").replace("?,2,3,?,4", "5,2,3,8,4").replace("?,3,2,?,4", "5,3,2,8,4")
)
STATIC = STATIC.replace("[0, 2, 3, 0, 4]", "[0, 2, 3, 8, 4]")


def test_reshapes_and_transpose_become_shuffle_channel() -> None:
    check(
        PASS,
        STATIC,
        """
        graph main(%x: float32[5,6,8,4]) {
          %y = shuffle_channel(X=%x) {group=2} : float32[5,6,8,4]
          return out=%y
        }
        """,
    )


def test_fused_graph_computes_the_same() -> None:
    check_fused(PASS, STATIC, ["shuffle_channel"])


def test_an_unknown_batch_size_is_fused() -> None:
    check_fused(PASS, STATIC.replace("5,", "?,"), ["shuffle_channel"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%b)\nreturn out=%y, %z"),
        ("axis=[0, 2, 1, 3, 4]} : float32[5,3,2,8,4]", "axis=[0, 2, 1, 4, 3]} : float32[5,3,2,4,8]"),
        ("shape=[0, 6, -1, 4]} : float32[5,6,8,4]", "shape=[0, 6, 4, 8]} : float32[5,6,4,8]"),
        ("shape=[0, 6, -1, 4]} : float32[5,6,8,4]", "shape=[0, 6, -1]} : float32[5,6,32]"),
        ("4, 4]} : float32[5,3,2,8,4]", "4, 4]} : float32[5,3,2,8,4] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_shapes_are_not_fused(old: str, new: str) -> None:
    if old not in STATIC:
        old, new = old.replace("4, 4]}", "3, 4]}"), new.replace("4, 4]}", "3, 4]}")
    assert old in STATIC
    check_unchanged(PASS, STATIC.replace(old, new))


def test_sizes_that_may_differ_are_not_fused() -> None:
    check_unchanged(PASS, TEXT.replace("shape=[0, 6, -1, 4]", "shape=[-1, 6, 8, 4]"))
