"""Zeros around an image become padding of the convolution that reads it."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "pad_conv_fuse_pass"

FLOAT = """
    graph main(%x: float32[1,2,4,5]) {{
      %w = const float32[3,2,3,3] random(1)
      %p = pad_nd(X=%x) {{{pad}}} : float32[{shape}]
      Output=%y = conv2d(Input=%p, Filter=%w) {{{conv}}} : float32[1,3,?,?]
      return out=%y
    }}
"""
"""An image that is padded and convolved."""


@pytest.mark.parametrize(
    ("pad", "shape"),
    [
        ("paddings=[0, 0, 1, 0, 0, 0, 1, 1]", "1,2,6,6"),
        ("paddings=[2, 0, 0, 1], axes=[3, -2]", "1,2,5,7"),
    ],
)
@pytest.mark.parametrize(
    "conv",
    [
        "",
        "paddings=[1, 0]",
        "paddings=[1, 0, 0, 1], strides=[2, 2]",
        'padding_algorithm="VALID", paddings=[1, 1]',
        "dilations=[2, 1]",
    ],
)
def test_the_convolution_computes_the_same(pad: str, shape: str, conv: str) -> None:
    text = FLOAT.format(pad=pad, shape=shape, conv=conv)
    if "dilations" in conv and "2,5," in shape:
        text = text.replace("float32[1,2,4,5]", "float32[1,2,5,5]").replace("[1,2,5,7]", "[1,2,6,7]")
    check_fused(PASS, text, ["conv2d"])


def test_paddings_are_added_side_by_side() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,4,5,2]) {
          %w = const float32[1,2,3,3] random(1)
          %p = pad_nd(X=%x) {paddings=[0, 1, 0, 0, 0, 2, 1, 0]} : float32[1,7,6,2]
          Output=%y = conv2d(Input=%p, Filter=%w) {paddings=[0, 1], data_format="NHWC"} : float32[1,5,6,1]
          return out=%y
        }
        """,
        """
        graph main(%x: float32[1,4,5,2]) {
          %w = const float32[1,2,3,3] random(1)
          Output=%y = conv2d(Input=%x, Filter=%w) {paddings=[1, 2, 1, 2], data_format="NHWC",
            padding_algorithm="EXPLICIT"} : float32[1,5,6,1]
          return out=%y
        }
        """,
    )


BYTES = """
    graph main(%q: uint8[1,1,2,2]) {{
      %s = const float32[] [0.5]
      %z = const uint8[] [7]
      %v = const uint8[] [{value}]
      %w = const float32[1,1,2,2] [1, 2, 3, 4]
      %p = pad_nd(X=%q, Value=%v) {{paddings=[0, 0, 0, 0, 0, 0, 1, 1]}} : uint8[1,1,3,3]
      %x = affine_dequantize(X=%p, Scale=%s, ZeroPoint=%z) : float32[1,1,3,3]
      Output=%y = conv2d(Input=%x, Filter=%w) : float32[1,1,2,2]
      return out=%y
    }}
"""


def test_the_zero_point_is_the_zero_of_bytes() -> None:
    check_fused(PASS, BYTES.format(value=7), ["affine_dequantize", "conv2d"])
    check_unchanged(PASS, BYTES.format(value=0))


REALS = """
    graph main(%x: float32[1,1,2,2]) {{
      %s = const float32[] [0.5]
      %t = const float32[] [{other}]
      %z = const uint8[] [7]
      %w = const float32[1,1,2,2] [1, 2, 3, 4]
      %p = pad_nd(X=%x) {{paddings=[1, 0], axes=[2]}} : float32[1,1,3,2]
      %q = affine_quantize(X=%p, Scale=%s, ZeroPoint=%z) {{dtype=20}} : uint8[1,1,3,2]
      %r = affine_dequantize(X=%q, Scale=%t, ZeroPoint=%z) : float32[1,1,3,2]
      Output=%y = conv2d(Input=%r, Filter=%w) : float32[1,1,2,1]
      return out=%y
    }}
"""


def test_reals_are_quantised_without_their_border() -> None:
    check_fused(PASS, REALS.format(other=0.5), ["affine_quantize", "affine_dequantize", "conv2d"])
    check_unchanged(PASS, REALS.format(other=0.25))


@pytest.mark.parametrize(
    ("pad", "shape"),
    [
        ("paddings=[0, 0, 1, 1, 0, 0, 1, 1], value=1.0", "1,2,6,7"),
        ('paddings=[0, 0, 1, 1, 0, 0, 1, 1], mode="reflect"', "1,2,6,7"),
        ("paddings=[0, 0, -1, 1, 0, 0, 1, 1]", "1,2,4,7"),
        ("paddings=[1, 0, 0, 0, 0, 0, 0, 0]", "2,2,4,5"),
        ("paddings=[0, 0, 3, 0, 0, 0, 0, 0]", "1,2,7,5"),
    ],
    ids=["another number", "reflections", "a cut", "the batch", "more than a window"],
)
def test_other_borders_stay(pad: str, shape: str) -> None:
    text = FLOAT.format(pad=pad, shape=shape, conv="")
    check_unchanged(PASS, text.replace("[1,3,?,?]", "[2,3,?,?]") if shape[0] == "2" else text)


def test_padding_by_the_size_stays() -> None:
    conv = 'padding_algorithm="SAME"'
    check_unchanged(PASS, FLOAT.format(pad="paddings=[0, 0, 1, 1, 0, 0, 1, 1]", shape="1,2,6,7", conv=conv))
