"""softmax between two inverse transposes is moved to another axis."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "transpose_softmax_transpose_fuse_pass"

TEXT = """
graph main(%x: float32[2,3,4,5]) {
  %a = transpose2(X=%x) {axis=[0, 2, 3, 1]} : float32[2,4,5,3]
  %b = softmax(X=%a) {axis=-1} : float32[2,4,5,3]
  %y = transpose2(X=%b) {axis=[0, 3, 1, 2]} : float32[2,3,4,5]
  return out=%y
}
"""


def test_transposes_become_another_axis_of_softmax() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3,4,5]) {
          %y = softmax(X=%x) {axis=1} : float32[2,3,4,5]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("axis", [-4, -2, 0, 1, 3])
def test_every_axis_computes_the_same(axis: int) -> None:
    check_fused(PASS, TEXT.replace("axis=-1", f"axis={axis}"), ["softmax"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %b"),
        ("return out=%y", "%z = relu(X=%a)\nreturn out=%y, %z"),
        ("axis=[0, 3, 1, 2]} : float32[2,3,4,5]", "axis=[0, 3, 2, 1]} : float32[2,3,5,4]"),
        ("softmax(X=%a) {axis=-1}", "relu(X=%a)"),
        ("-1} : float32[2,4,5,3]", "-1} : float32[2,4,5,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_transposes_are_kept(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
