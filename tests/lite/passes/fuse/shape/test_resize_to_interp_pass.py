"""Resizing of images by constant factors becomes an interpolation; other resizing stays."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged, run_pass

PASS = "resize_to_interp_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

NEAREST = """
    graph main(%x: float32[1,2,n,4]) {
      %s = const float32[4] [1.0, 1.0, 2.0, 2.0]
      %y = resize(X=%x, Scales=%s)
        {mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"}
        : float32[1,2,?,8]
      return out=%y
    }
"""


def test_the_nearest_pixel() -> None:
    after = """
        graph main(%x: float32[1,2,n,4]) {
          %y = nearest_interp_v2(X=%x) {scale=[2.0, 2.0], align_corners=false} : float32[1,2,?,8]
          return out=%y
        }
    """
    check(PASS, NEAREST, after, CPU)


def test_weighted_pixels() -> None:
    text = NEAREST.replace('mode="nearest", ', 'mode="linear", ').replace('"asymmetric"', '"half_pixel"')
    graph = parse_graph(text)
    assert run_pass(PASS, graph, CPU)
    [node] = graph
    assert node.op == "bilinear_interp_v2"
    assert node.attrs == {"scale": [2.0, 2.0], "align_corners": False, "align_mode": 0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1.0, 1.0, 2.0, 2.0]", "[1.0, 2.0, 2.0, 2.0]"),
        ("[1.0, 1.0, 2.0, 2.0]", "[1.0, 1.0, 1.3, 2.0]"),
        ('"floor"}', '"ceil"}'),
        ('nearest_mode="floor"', 'nearest_mode="floor", axes=[0, 1, 2, 3]'),
    ],
    ids=["channels", "a factor that is no power of 2", "another rounding", "axes"],
)
def test_other_resizing_stays(old: str, new: str) -> None:
    assert old in NEAREST
    check_unchanged(PASS, NEAREST.replace(old, new), CPU)
