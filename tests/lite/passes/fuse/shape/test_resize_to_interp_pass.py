"""Resizing of images by constant factors becomes an interpolation; other resizing stays."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import feeds_of
from tests.support.interpreter.tensors import run_graph

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


SIZED = """
    graph main(%x: float32[2,3,5,HEIGHT], %r: float32[1,1,ROWS,4]) {
      %s = shape(Input=%x) : int32[4]
      %l = cast(X=%s) {in_dtype=2, out_dtype=3} : int64[4]
      %k = slice(Input=%l) {axes=[0], starts=[0], ends=[2]} : int64[2]
      %q = shape(Input=%r) : int32[4]
      %i = cast(X=%q) {in_dtype=2, out_dtype=3} : int64[4]
      %n = slice(Input=%i) {axes=[0], starts=[2], ends=[4]} : int64[2]
      %t = concat(X=[%k, %n]) {axis=0} : int64[4]
      %y = resize(X=%x, Sizes=%t) {mode="linear", coordinate_transformation_mode="MODE"} : float32[2,3,?,?]
      return %y
    }
"""


@pytest.mark.parametrize("mode", ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize("height", [1, 6])
@pytest.mark.parametrize("rows", [1, 2, 5, 9])
def test_computed_sizes(mode: str, height: int, rows: int) -> None:
    text = SIZED.replace("MODE", mode).replace("HEIGHT", str(height)).replace("ROWS", str(rows))
    graph = parse_graph(text)
    feeds = feeds_of(graph)
    [expected] = run_graph(graph, feeds).values()

    assert run_pass(PASS, graph, CPU)
    assert [node.op for node in graph] == ["shape", "cast", "slice", "bilinear_interp_v2"]
    [result] = run_graph(graph, feeds).values()
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ends=[2]", "ends=[1]"),
        ("concat(X=[%k, %n])", "concat(X=[%n, %k])"),
        ("%s = shape(Input=%x)", "%s = shape(Input=%r)"),
        ('mode="linear"', 'mode="cubic"'),
        ('mode="linear"', 'mode="linear", keep_aspect_ratio_policy="not_larger"'),
        ("half_pixel", "half_pixel_symmetric"),
    ],
)
def test_other_computed_sizes_stay(old: str, new: str) -> None:
    text = SIZED.replace("MODE", "half_pixel").replace("HEIGHT", "6").replace("ROWS", "3")
    assert old in text
    check_unchanged(PASS, text.replace(old, new), CPU)


def test_computed_sizes_stay_where_a_device_takes_part() -> None:
    text = SIZED.replace("MODE", "half_pixel").replace("HEIGHT", "6").replace("ROWS", "3")
    check_unchanged(PASS, text, PassContext(valid_places=(Place("sim_npu"), *CPU.valid_places)))


KNOWN = """
    graph main(%x: float32[2,3,5,6]) {
      %t = const int64[4] [2, 3, ROWS, 4]
      %y = resize(X=%x, Sizes=%t)
        {mode="MODE", coordinate_transformation_mode="COORDINATES", nearest_mode="floor"}
        : float32[2,3,ROWS,4]
      return %y
    }
"""


@pytest.mark.parametrize(
    ("mode", "coordinates", "op"),
    [
        ("linear", "half_pixel", "bilinear_interp_v2"),
        ("linear", "pytorch_half_pixel", "bilinear_interp_v2"),
        ("linear", "asymmetric", "bilinear_interp_v2"),
        ("linear", "align_corners", "bilinear_interp_v2"),
        ("cubic", "half_pixel", "bicubic_interp_v2"),
        ("cubic", "align_corners", "bicubic_interp_v2"),
        ("nearest", "asymmetric", "nearest_interp_v2"),
    ],
)
@pytest.mark.parametrize("rows", [2, 5, 13])
def test_known_sizes(mode: str, coordinates: str, op: str, rows: int) -> None:
    text = KNOWN.replace("MODE", mode).replace("COORDINATES", coordinates).replace("ROWS", str(rows))
    graph = parse_graph(text)
    feeds = feeds_of(graph)
    [expected] = run_graph(graph, feeds).values()

    assert run_pass(PASS, graph, PassContext(valid_places=(Place("sim_npu"), *CPU.valid_places)))
    [node] = graph
    assert (node.op, node.attrs["out_h"], node.attrs["out_w"]) == (op, rows, 4)
    [result] = run_graph(graph, feeds).values()
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("rows", "old", "new"),
    [
        ("3", "[2, 3, 3, 4]", "[2, 4, 3, 4]"),
        ("3", "float32[2,3,5,6]", "float32[n,3,5,6]"),
        ("3", 'nearest_mode="floor"', "axes=[0, 1, 2, 3]"),
        ("3", 'nearest_mode="floor"', 'keep_aspect_ratio_policy="not_larger"'),
        ("3", 'mode="linear"', 'mode="cubic", cubic_coeff_a=-0.5'),
        ("1", "unchanged", "unchanged"),
    ],
    ids=["channels", "an unknown batch", "axes", "aspect ratio", "another cubic", "one row"],
)
def test_other_known_sizes_stay(rows: str, old: str, new: str) -> None:
    text = KNOWN.replace("MODE", "linear").replace("COORDINATES", "half_pixel").replace("ROWS", rows)
    check_unchanged(PASS, text.replace(old, new), CPU)
