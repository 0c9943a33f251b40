"""Images padded as volumes of one slice."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "unsqueeze2_pad3d_squeeze2_fuse_pass"

TEXT = """
graph main(%x: float32[1,2,5,6]) {
  %a = unsqueeze2(X=%x) {axes=[2]} : float32[1,2,1,5,6]
  %b = pad3d(X=%a) {paddings=[1, 2, 3, 4, 0, 0], mode="reflect", value=0.5} : float32[1,2,1,12,9]
  %y = squeeze2(X=%b) {axes=[2]} : float32[1,2,12,9]
  return out=%y
}
"""


def test_becomes_pad2d() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[1,2,5,6]) {
          %y = pad2d(X=%x) {paddings=[3, 4, 1, 2], mode="reflect", pad_value=0.5} : float32[1,2,12,9]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate"])
def test_every_mode(mode: str) -> None:
    check_fused(PASS, TEXT.replace("reflect", mode).replace("{axes=[2]}", "{axes=[-3]}"), ["pad2d"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%b)\nreturn out=%y, %z"),
        ('mode="reflect"', 'mode="circular"'),
        ('mode="reflect"', 'mode="constant", data_format="NDHWC"'),
        ("4, 0, 0]", "4, 0, 1]"),
        ("unsqueeze2(X=%x) {axes=[2]}", "unsqueeze2(X=%x) {axes=[1]}"),
        ("squeeze2(X=%b) {axes=[2]}", "squeeze2(X=%b) {axes=[0]}"),
        ("value=0.5} : float32[1,2,1,12,9]", "value=0.5} : float32[1,2,1,12,9] quant([0.5], [0], -1, int8)"),
    ],
)
def test_stays(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
