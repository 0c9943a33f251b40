"""Ops that move numbers move their integers."""

from __future__ import annotations

import pytest

from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged

PASS = "quantized_moves_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))


def test_dequantisation_moves_after_a_chain_of_moves() -> None:
    before = """
        graph main(%q: uint8[1,2,4,4]) {
          %s = const float32[] [0.5]
          %z = const uint8[] [7]
          %x = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[1,2,4,4]
          %p = pool2d(X=%x) {pooling_type="max", ksize=[3, 3], paddings=[1, 1]} : float32[1,2,4,4]
          %t = transpose2(X=%p) {axis=[0, 2, 3, 1]} : float32[1,4,4,2]
          return out=%t
        }
    """
    after = """
        graph main(%q: uint8[1,2,4,4]) {
          %s = const float32[] [0.5]
          %z = const uint8[] [7]
          %p_codes = pool2d(X=%q) {pooling_type="max", ksize=[3, 3], paddings=[1, 1]} : uint8[1,2,4,4]
          %t_codes = transpose2(X=%p_codes) {axis=[0, 2, 3, 1]} : uint8[1,4,4,2]
          %t = affine_dequantize(X=%t_codes, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=5}
            : float32[1,4,4,2]
          return out=%t
        }
    """
    check(PASS, before, after, CPU)


def test_quantisation_moves_before_a_concat_of_different_scales() -> None:
    before = """
        graph main(%q: uint8[2,3], %y: float32[2,3]) {
          %s = const float32[] [0.5]
          %t = const float32[] [0.25]
          %x = affine_dequantize(X=%q, Scale=%s) : float32[2,3]
          %c = concat(X=[%x, %y]) {axis=1} : float32[2,6]
          %r = affine_quantize(X=%c, Scale=%t) {dtype=20} : uint8[2,6]
          return out=%r
        }
    """
    after = """
        graph main(%q: uint8[2,3], %y: float32[2,3]) {
          %s = const float32[] [0.5]
          %t = const float32[] [0.25]
          %x = affine_dequantize(X=%q, Scale=%s) : float32[2,3]
          %x_codes = affine_quantize(X=%x, Scale=%t) {dtype=20} : uint8[2,3]
          %y_codes = affine_quantize(X=%y, Scale=%t) {dtype=20} : uint8[2,3]
          %r = concat(X=[%x_codes, %y_codes]) {axis=1} : uint8[2,6]
          return out=%r
        }
    """
    check(PASS, before, after, CPU)


def test_quantisation_moves_before_joined_and_repeated_pixels_of_other_ops() -> None:
    before = """
        graph main(%x: float32[1,2,2,2], %y: float32[1,2,4,4]) {
          %t = const float32[] [0.25]
          %a = relu(X=%x) : float32[1,2,2,2]
          %b = relu(X=%y) : float32[1,2,4,4]
          %n = nearest_interp_v2(X=%a) {out_h=4, out_w=4} : float32[1,2,4,4]
          %c = concat(X=[%n, %b]) {axis=1} : float32[1,4,4,4]
          %r = affine_quantize(X=%c, Scale=%t) {dtype=20} : uint8[1,4,4,4]
          return out=%r
        }
    """
    after = """
        graph main(%x: float32[1,2,2,2], %y: float32[1,2,4,4]) {
          %t = const float32[] [0.25]
          %a = relu(X=%x) : float32[1,2,2,2]
          %b = relu(X=%y) : float32[1,2,4,4]
          %a_codes = affine_quantize(X=%a, Scale=%t) {dtype=20} : uint8[1,2,2,2]
          %n_codes = nearest_interp_v2(X=%a_codes) {out_h=4, out_w=4} : uint8[1,2,4,4]
          %b_codes = affine_quantize(X=%b, Scale=%t) {dtype=20} : uint8[1,2,4,4]
          %r = concat(X=[%n_codes, %b_codes]) {axis=1} : uint8[1,4,4,4]
          return out=%r
        }
    """
    check(PASS, before, after, CPU)


@pytest.mark.parametrize(("size", "attrs"), [(2, "out_h=2, out_w=2"), ("?", "scale=[0.5, 0.5]")])
def test_quantisation_never_moves_to_more_pixels(size: object, attrs: str) -> None:
    text = f"""
        graph main(%x: float32[1,2,4,4]) {{
          %t = const float32[] [0.25]
          %a = relu(X=%x) : float32[1,2,4,4]
          %n = nearest_interp_v2(X=%a) {{{attrs}}} : float32[1,2,2,2]
          %r = affine_quantize(X=%n, Scale=%t) {{dtype=20}} : uint8[1,2,2,2]
          return out=%r
        }}
    """.replace("float32[1,2,4,4]", "float32[1,2,?,?]" if size == "?" else "float32[1,2,4,4]")
    if size == "?":
        text = text.replace("[1,2,2,2]", "[1,2,?,?]")
    check_unchanged(PASS, text, CPU)


POOL = """
    graph main(%q: uint8[1,2,4,4]) {
      %s = const float32[] [0.5]
      %x = affine_dequantize(X=%q, Scale=%s) : float32[1,2,4,4]
      %p = pool2d(X=%x) {OPTIONS} : float32[1,2,4,4]
      return out=%p
    }
"""


@pytest.mark.parametrize(
    "options",
    [
        'pooling_type="avg", ksize=[3, 3], paddings=[1, 1]',
        'pooling_type="max", ksize=[1, 1], paddings=[1, 1], strides=[2, 2]',
        'pooling_type="max", ksize=[3, 3], paddings=[1, 1], ceil_mode=true',
    ],
    ids=["averages", "windows outside of the image", "windows that may be outside"],
)
def test_pooling_that_is_no_move_stays(options: str) -> None:
    text = POOL.replace("OPTIONS", options)
    if "strides" in options:
        text = text.replace("} : float32[1,2,4,4]", "} : float32[1,2,3,3]")
    check_unchanged(PASS, text, CPU)


def test_a_concat_of_real_numbers_stays() -> None:
    text = """
        graph main(%x: float32[2,3], %y: float32[2,3]) {
          %t = const float32[] [0.25]
          %c = concat(X=[%x, %y]) {axis=1} : float32[2,6]
          %r = affine_quantize(X=%c, Scale=%t) {dtype=20} : uint8[2,6]
          return out=%r
        }
    """
    check_unchanged(PASS, text, CPU)


def test_weights_stay() -> None:
    text = """
        graph main() {
          %w = const int8[2,2] [1, 2, 3, 4]
          %s = const float32[] [0.5]
          %x = affine_dequantize(X=%w, Scale=%s) : float32[2,2]
          %y = transpose2(X=%x) {axis=[1, 0]} : float32[2,2]
          return out=%y
        }
    """
    check_unchanged(PASS, text, CPU)
