"""Elements of a split array at constant positions become parts of a tensor."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check_unchanged
from tests.lite.passes.fuse.equal import check_run

PASS = "array_split_fold_pass"


def parts(constants: str, split: str, positions: tuple[int, ...], axis: int = 1, shape: str = "2,8") -> str:
    lines = [
        f"%p{n} = const int64[] [{position}] : int64[]\n"
        f"%y{n} = array_element(X=%a, Position=%p{n}) : float32[?,?]"
        for n, position in enumerate(positions)
    ]
    reads = "\n  ".join("\n".join(lines).splitlines())
    return f"""
graph main(%x: float32[{shape}]) {{
  {constants}
  %a = split_to_array(X=%x{split}) {{axis={axis}, keepdims=1}} : tensor_array float32[*]
  {reads}
  return {", ".join(f"%y{n}" for n in range(len(positions)))}
}}
"""


SIZES = "%s = const int64[2] [3, 5] : int64[2]"
SIZE = "%s = const int64[] [3] : int64[]"


@pytest.mark.parametrize(
    "text",
    [
        parts(SIZES, ", Split=%s", (0, 1)),
        parts(SIZES, ", Split=%s", (-1,), axis=-1),
        parts(SIZES, ", Split=%s", (1, 1)),
        parts(SIZE, ", Split=%s", (0, 2)),
        parts("", "", (1, 0), axis=0),
    ],
    ids=["all", "from the end", "one twice", "of one size", "of size 1"],
)
def test_parts_of_known_sizes(text: str) -> None:
    check_run(PASS, text, ["split"])


@pytest.mark.parametrize(
    "text",
    [
        parts(SIZES, ", Split=%s", (2,)),
        parts(SIZE, ", Split=%s", (0,), shape="2,?"),
        parts("", "", (0,), axis=0).replace("keepdims=1", "keepdims=0"),
        parts(SIZES, ", Split=%s", (0,)).replace("return %y0", "return %y0, %a"),
        parts(SIZES, ", Split=%s", (0,)).replace(f"  {SIZES}\n", "").replace("2,8]", "2,8], %s: int64[2]"),
    ],
    ids=["no such part", "unknown length", "without the axis", "a result", "sizes of the run"],
)
def test_others_stay(text: str) -> None:
    check_unchanged(PASS, text)
