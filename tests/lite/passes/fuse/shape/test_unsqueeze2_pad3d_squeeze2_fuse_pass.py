"""Images padded as volumes of one slice."""

from __future__ import annotations

import re

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "unsqueeze2_pad3d_squeeze2_fuse_pass"

TEXT = """
graph main(%x: float32[1,2,5,6]) {
  %a = unsqueeze2(X=%x) {axes=[2]} : float32[1,2,1,5,6]
  %b = pad_nd(X=%a) {BORDER, mode="reflect", value=0.5} : float32[1,2,1,12,9]
  %y = squeeze2(X=%b) {axes=[2]} : float32[1,2,12,9]
  return out=%y
}
""".replace("BORDER", "paddings=[1, 3, 0, 2, 4, 0], axes=[4, 3, 2]")


def test_a_volume_of_one_slice_is_padded_as_an_image() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[1,2,5,6]) {
          %y = pad_nd(X=%x) {ATTRS} : float32[1,2,12,9]
          return out=%y
        }
        """.replace("ATTRS", 'paddings=[1, 3, 2, 4], mode="reflect", value=0.5, axes=[3, 2]'),
    )


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize(
    "border",
    [
        "paddings=[1, 3, 0, 2, 4, 0], axes=[4, 3, 2]",
        "paddings=[0, 1, 0, 3, 1, 1, 0, 0, 2, 4]",
        "paddings=[1, 2], axes=[-1]",
    ],
)
def test_result_is_the_same_in_every_mode(mode: str, border: str) -> None:
    text = TEXT.replace("paddings=[1, 3, 0, 2, 4, 0], axes=[4, 3, 2]", border)
    text = re.sub("float32.1,2,1,12,9.|float32.1,2,12,9.", "float32[*]", text)
    check_fused(PASS, text.replace("reflect", mode).replace("{axes=[2]}", "{axes=[-3]}"), ["pad_nd"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %a"),
        ("return out=%y", "%z = relu(X=%b)\nreturn out=%y, %z"),
        ("2, 4, 0]", "2, 4, 1]"),
        ("unsqueeze2(X=%x) {axes=[2]}", "unsqueeze2(X=%x) {axes=[1]}"),
        ("squeeze2(X=%b) {axes=[2]}", "squeeze2(X=%b) {axes=[0]}"),
        ("value=0.5} : float32[1,2,1,12,9]", "value=0.5} : float32[1,2,1,12,9] quant([0.5], [0], -1, int8)"),
    ],
)
def test_a_volume_that_is_not_an_image_is_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
