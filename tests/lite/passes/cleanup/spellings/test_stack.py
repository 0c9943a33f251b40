"""A stack of one tensor has one more axis."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

STACK = """
graph main(%x: float32[2,3]) {
  %y = stack(X=%x) {axis=AXIS} : float32[SHAPE]
  return %y
}
"""


@pytest.mark.parametrize(("axis", "shape"), [(0, "1,2,3"), (1, "2,1,3"), (-1, "2,3,1")])
def test_one_tensor(axis: int, shape: str) -> None:
    text = STACK.replace("AXIS", str(axis)).replace("SHAPE", shape)

    check(
        "canonicalize_pass",
        text,
        text.replace("stack(X=%x)", "unsqueeze2(X=%x)").replace(f"axis={axis}", f"axes=[{axis}]"),
    )


def test_two_tensors_stay() -> None:
    text = STACK.replace("X=%x", "X=[%x, %x]").replace("AXIS", "0").replace("SHAPE", "2,2,3")

    check_unchanged("canonicalize_pass", text)
